#include "outfeed/control/interventions.hpp"

#include "text/nearest_names.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

namespace {

std::string updatesText(std::uint32_t updates) {
  return updates == 1 ? "one update" : std::to_string(updates) + " updates";
}

} // namespace

Interventions::Interventions(std::vector<TensorTraits> allowed,
                             std::uint32_t seed)
    : allowed_(std::move(allowed)), seed_(seed) {}

Interventions::Places
Interventions::select(const std::string &filter,
                      const std::vector<TensorTraits> &all) const {
  const TensorFilter wanted = TensorFilter::parse(filter);
  Places places;
  std::set<std::string> names;
  for (std::size_t place = 0; place < allowed_.size(); ++place)
    if (wanted.matches(allowed_[place]) &&
        names.insert(allowed_[place].name).second)
      places.push_back(place);
  if (!places.empty())
    return places;
  std::vector<std::string> known;
  for (const TensorTraits &tensor : all) {
    if (wanted.matches(tensor))
      refuseRequest("'" + filter +
                    "' cannot be changed; start the program with "
                    "--allow-intervention '" +
                    filter + "' to be able to");
    known.push_back(tensor.name);
  }
  refuseRequest("no tensor matches '" + filter + "'; the nearest are " +
                text::nearestNames(filter, known));
}

std::string Interventions::tagsOf(const Places &places) const {
  std::vector<std::string> tags;
  for (const std::size_t place : places)
    tags.push_back(tagOf(allowed_[place]));
  return shortList(tags);
}

bool Interventions::end(std::size_t place, Update from) {
  bool any = false;
  const auto neverBegins = [&](const Entry &entry) {
    return entry.place == place && !(entry.what.first < from);
  };
  for (Entry &entry : entries_)
    if (entry.place == place && !(entry.what.last < from)) {
      any = true;
      entry.isCut = true;
      if (!neverBegins(entry))
        entry.what.last = Update(from.value() - 1);
    }
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), neverBegins),
                 entries_.end());
  return any;
}

std::vector<std::string>
Interventions::ask(const ControlRequest &request, Update next,
                   const std::vector<TensorTraits> &all) {
  std::vector<std::string> lines;
  const std::uint32_t updates = request.forUpdates.value_or(1);
  if (updates == 0)
    refuseRequest("'for' has to be 1 update or more");
  if (request.forUpdates && request.interventions.empty())
    refuseRequest(
        "'for' is for what is set to 0, scaled or given noise; say of which "
        "tensors");
  const std::uint32_t rest =
      std::numeric_limits<std::uint32_t>::max() - next.value();
  const Update last(next.value() + std::min(updates - 1, rest));
  for (const ControlRequest::Intervening &asked : request.interventions) {
    const Places places = select(asked.filter, all);
    for (const std::size_t place : places) {
      end(place, next);
      const TensorTraits &tensor = allowed_[place];
      entries_.push_back({{tensor.name, tensor.moment, tagOf(tensor),
                           asked.change, next, last},
                          place});
    }
    lines.push_back("intervention: " + tagsOf(places) + " " +
                    asked.change.text() + " for " + updatesText(updates));
  }
  for (const std::string &filter : request.cancel) {
    Places ended = select(filter, all);
    ended.erase(
        std::remove_if(ended.begin(), ended.end(),
                       [&](std::size_t place) { return !end(place, next); }),
        ended.end());
    if (ended.empty())
      refuseRequest("nothing is done to '" + filter +
                    "' that could be canceled");
    lines.push_back("intervention canceled: " + tagsOf(ended));
  }
  return lines;
}

void Interventions::repeat(const std::vector<Intervention> &earlier,
                           Update next) {
  std::vector<Entry> entries;
  for (const Intervention &what : earlier) {
    const auto found = std::find_if(
        allowed_.begin(), allowed_.end(), [&](const TensorTraits &tensor) {
          return tensor.name == what.tensor && tensor.moment == what.moment;
        });
    const bool isAllowed = found != allowed_.end();
    if (!isAllowed && !(what.last < next))
      refuseRequest(lineOf(what) +
                    ", which has to be done again; add --allow-intervention '" +
                    what.tensor + "'");
    entries.push_back(
        {what, isAllowed ? std::size_t(found - allowed_.begin()) : kNowhere,
         true});
  }
  entries_ = std::move(entries);
}

const Interventions::Entry *Interventions::entryAt(std::size_t place,
                                                   Update update) const {
  for (const Entry &entry : entries_)
    if (entry.place == place && entry.what.isAt(update))
      return &entry;
  return nullptr;
}

std::vector<std::string> Interventions::notesAt(Update update) {
  std::vector<std::string> notes;
  Places over;
  const bool isFirst = !std::exchange(hasBegun_, true);
  for (const Entry &entry : entries_) {
    const Intervention &what = entry.what;
    if (entry.isRepeated && what.isAt(update) &&
        (isFirst || what.first == update))
      notes.push_back(lineOf(what) + ", as before");
    if (!entry.isCut && what.last < update &&
        what.last.value() + 1 == update.value() && !isFirst)
      over.push_back(entry.place);
  }
  if (!over.empty())
    notes.push_back("intervention over: " + tagsOf(over));
  return notes;
}

std::vector<InterventionWords> Interventions::wordsAt(Update update) const {
  std::vector<InterventionWords> words(allowed_.size(), InterventionWords{});
  for (const Entry &entry : entries_)
    if (entry.what.isAt(update))
      words.at(entry.place) = {unsigned(entry.what.change.kind),
                               entry.what.change.amount,
                               noiseSeed(seed_, allowed_[entry.place], update)};
  return words;
}

std::vector<InterventionStatus> Interventions::status(Update next) const {
  std::vector<InterventionStatus> all;
  for (std::size_t place = 0; place < allowed_.size(); ++place) {
    InterventionStatus status;
    status.tensor = allowed_[place].name;
    status.moment = nameOf(allowed_[place].moment);
    if (const Entry *const entry = entryAt(place, next)) {
      status.change = entry->what.change.text();
      status.updatesLeft =
          std::uint64_t(entry->what.last.value()) + 1 - next.value();
    }
    all.push_back(std::move(status));
  }
  return all;
}

std::vector<Intervention> Interventions::history(Update next) const {
  std::vector<Intervention> all;
  for (const Entry &entry : entries_)
    if (entry.isRepeated || entry.what.first < next)
      all.push_back(entry.what);
  return all;
}

} // namespace popscope::outfeed

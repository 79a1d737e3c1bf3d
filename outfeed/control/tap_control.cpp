#include "outfeed/control/tap_control.hpp"

#include "text/nearest_names.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

namespace {

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "; ") + line;
  return text;
}

} // namespace

TapControl::TapControl(const TapPlan &plan, Interventions interventions)
    : plan_(plan), isDue_(plan.taps().size(), false),
      limits_(plan.taps().size()), isReplaced_(plan.alarms().size(), false),
      interventions_(std::move(interventions)) {
  for (const Tap &tap : plan.taps()) {
    const bool isNew = watched_.empty() ||
                       watched_.back().tensor().name != tap.tensor.name ||
                       watched_.back().tensor().moment != tap.tensor.moment;
    if (isNew)
      watched_.emplace_back();
    WatchedTensor &watched = watched_.back();
    watched.taps.push_back(&tap);
    watched.conditions.push_back(tap.condition.value_or(Condition{}));
    if (tap.schedule.isNever())
      continue;
    watched.isOn = true;
    watched.schedule = tap.schedule;
  }
}

TapControl::~TapControl() { close(); }

TapControl::Selection
TapControl::select(const std::string &filter,
                   std::vector<WatchedTensor> &watched) const {
  const TensorFilter wanted = TensorFilter::parse(filter);
  Selection selection;
  for (WatchedTensor &item : watched)
    if (wanted.matches(item.tensor()))
      selection.push_back(&item);
  if (!selection.empty())
    return selection;
  std::vector<std::string> names;
  for (const TensorTraits &tensor : plan_.tensors()) {
    if (wanted.matches(tensor))
      refuseRequest("'" + filter +
                    "' is not compiled in; start the program with the rule '" +
                    filter + " @ never' to be able to turn it on");
    names.push_back(tensor.name);
  }
  refuseRequest("no tensor matches '" + filter + "'; the nearest are " +
                text::nearestNames(filter, names));
}

TapControl::Selection
TapControl::selectWith(const std::string &filter, Payload payload,
                       std::vector<WatchedTensor> &watched) const {
  Selection selection = select(filter, watched);
  std::vector<std::string> others;
  for (const WatchedTensor *item : selection)
    for (const Tap *tap : item->taps)
      if (std::find(others.begin(), others.end(), nameOf(tap->payload)) ==
          others.end())
        others.emplace_back(nameOf(tap->payload));
  selection.erase(std::remove_if(selection.begin(), selection.end(),
                                 [&](const WatchedTensor *item) {
                                   return !item->withPayload(payload);
                                 }),
                  selection.end());
  if (selection.empty())
    refuseRequest("of '" + filter + "' only the payload " + shortList(others) +
                  " is compiled in; start the program with the rule '" +
                  filter + " @ never -> " + nameOf(payload) +
                  "' to be able to use " + nameOf(payload));
  return selection;
}

TapControl::Selection
TapControl::selectWith(const std::string &filter, const Condition &condition,
                       std::vector<WatchedTensor> &watched) const {
  Selection selection = select(filter, watched);
  selection.erase(std::remove_if(selection.begin(), selection.end(),
                                 [&](const WatchedTensor *item) {
                                   return !item->withCondition(condition);
                                 }),
                  selection.end());
  if (selection.empty())
    refuseRequest("of '" + filter +
                  "' no such condition is compiled in, and only its limits can "
                  "change; start the program with the rule '" +
                  filter + " @ never when " + condition.text() +
                  "' to be able to use it");
  return selection;
}

namespace {

template <class Selection> std::string namesOf(const Selection &selection) {
  std::vector<std::string> names;
  for (const auto *item : selection)
    names.push_back(tagOf(item->tensor()));
  return shortList(names);
}

} // namespace

void TapControl::enable(const std::string &filter,
                        const ControlRequest &request,
                        std::vector<WatchedTensor> &watched,
                        std::vector<std::string> &lines) const {
  const std::optional<Condition> condition =
      request.when ? std::optional(parseCondition(*request.when))
                   : std::nullopt;
  const Selection selection =
      condition         ? selectWith(filter, *condition, watched)
      : request.payload ? selectWith(filter, *request.payload, watched)
                        : select(filter, watched);
  for (WatchedTensor *item : selection) {
    item->isOn = true;
    item->takeRequest();
    if (request.every)
      item->schedule = {*request.every, 0, UpdateSchedule().until, {}};
    if (request.payload)
      item->chosen = *item->withPayload(*request.payload);
    if (condition) {
      item->chosen = *item->withCondition(*condition);
      item->conditions[item->chosen].limits = condition->limits;
    }
  }
  lines.push_back(
      "turned on " + namesOf(selection) +
      (request.payload ? std::string(" -> ") + nameOf(*request.payload) : "") +
      (request.every ? " every " + std::to_string(*request.every) : "") +
      (condition ? " when " + condition->text() : ""));
}

TapControl::Change TapControl::apply(const ControlRequest &request) {
  if (request.every && *request.every == 0)
    refuseRequest("'every' has to be 1 or more");
  if ((request.every || request.payload || request.when) &&
      request.enable.empty())
    refuseRequest(
        "a schedule, a payload and a condition are for what is turned on; "
        "say of which tensors");
  if (request.payload && request.when)
    refuseRequest("a condition has the payload of its rule");
  const std::lock_guard lock(mutex_);
  std::vector<WatchedTensor> changed = watched_;
  Change change;
  for (const std::string &filter : request.enable)
    enable(filter, request, changed, change.lines);
  for (const std::string &filter : request.disable) {
    const Selection selection = select(filter, changed);
    for (WatchedTensor *item : selection) {
      item->isOn = false;
      item->takeRequest();
    }
    change.lines.push_back("turned off " + namesOf(selection));
  }
  for (const std::string &filter : request.dump) {
    const Selection selection = selectWith(filter, Payload::full, changed);
    for (WatchedTensor *item : selection)
      item->once = item->withPayload(Payload::full);
    if (std::all_of(selection.begin(), selection.end(),
                    [](WatchedTensor *item) {
                      return item->taps[*item->once]->condition.has_value();
                    }))
      refuseRequest(
          "'" + filter +
          "' is sent whole only under a condition; start the program with "
          "the rule '" +
          filter + " @ never -> full' to be able to dump it");
    change.lines.push_back("dumped " + namesOf(selection));
  }
  Interventions interventions = interventions_;
  if (request.intervenes() || request.forUpdates)
    for (std::string &line :
         interventions.ask(request, Update(nextUpdate_), plan_.tensors()))
      change.lines.push_back(std::move(line));
  watched_ = std::move(changed);
  interventions_ = std::move(interventions);
  if (request.everythingOnce) {
    isEverythingAsked_ = true;
    change.lines.emplace_back("everything on for this update");
  }
  Waiting waiting;
  // What everythingOnce does is noted where it happens.
  waiting.text = request.everythingOnce ? "" : joined(change.lines);
  waiting.isIntervention = request.intervenes();
  change.update = waiting.update.get_future();
  if (isClosed_)
    waiting.update.set_value(std::nullopt);
  else
    waiting_.push_back(std::move(waiting));
  return change;
}

ControlReply TapControl::answer(const ControlRequest &request,
                                const std::function<bool()> &givesUp) {
  constexpr std::chrono::milliseconds kPollPeriod(50);
  ControlReply reply;
  try {
    if (!request.changesNothing()) {
      Change change = apply(request);
      while (change.update.wait_for(kPollPeriod) != std::future_status::ready)
        if (givesUp && givesUp())
          break;
      if (change.update.wait_for(kPollPeriod) == std::future_status::ready)
        reply.update = change.update.get();
      reply.changes = std::move(change.lines);
      if (!reply.update)
        reply.refusal = "the program ended before it took effect";
    } else {
      const std::lock_guard lock(mutex_);
      if (nextUpdate_ != firstUpdate_)
        reply.update = Update(nextUpdate_ - 1);
    }
  } catch (const std::invalid_argument &error) {
    reply.refusal = error.what();
  }
  reply.status = status();
  const std::lock_guard lock(mutex_);
  reply.interventions = interventions_.status(Update(nextUpdate_));
  return reply;
}

std::vector<ControlStatus> TapControl::status() const {
  const std::lock_guard lock(mutex_);
  std::vector<ControlStatus> all;
  for (const WatchedTensor &item : watched_) {
    ControlStatus status;
    status.tensor = item.tensor().name;
    status.moment = nameOf(item.tensor().moment);
    for (const Tap *tap : item.taps)
      status.payloads.emplace_back(nameOf(tap->payload));
    status.payload = nameOf(item.taps[item.chosen]->payload);
    status.isOn = item.isOn;
    status.schedule = (item.thinned ? *item.thinned : item.schedule).text();
    status.when = item.conditions[item.chosen].text();
    status.sent = item.sent;
    all.push_back(std::move(status));
  }
  return all;
}

double TapControl::dueShare(std::size_t rule) const {
  const std::lock_guard lock(mutex_);
  double sent = 0.0, tensors = 0.0;
  for (const WatchedTensor &item : watched_)
    if (item.taps[item.chosen]->rule == rule) {
      sent += double(item.sent);
      ++tensors;
    }
  return sent == 0.0 ? 0.0 : sent / tensors / (nextUpdate_ - firstUpdate_);
}

std::vector<ControlNote> TapControl::takeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

std::vector<Intervention> TapControl::interventions() const {
  const std::lock_guard lock(mutex_);
  return interventions_.history(Update(nextUpdate_));
}

Update TapControl::updateOfTransfer(TapId tap, std::uint64_t n) const {
  const std::lock_guard lock(mutex_);
  return Update(transfers_.at(tap).at(n));
}

void TapControl::resumeAt(Update update) {
  const std::lock_guard lock(mutex_);
  firstUpdate_ = nextUpdate_ = update.value();
}

void TapControl::setEvery(std::size_t rule, std::uint32_t every) {
  const std::lock_guard lock(mutex_);
  for (WatchedTensor &item : watched_)
    if (item.isOn && item.isAsRuled && item.taps[item.chosen]->rule == rule) {
      item.thinned = item.schedule;
      item.thinned->every = every;
    }
}

void TapControl::note(const std::string &text) {
  const std::lock_guard lock(mutex_);
  notes_.push_back({Update(nextUpdate_), text});
}

void TapControl::rehearse(Rehearsal rules) {
  const std::lock_guard lock(mutex_);
  rehearsal_ = std::move(rules);
}

void TapControl::repeat(const std::vector<Intervention> &earlier) {
  const std::lock_guard lock(mutex_);
  interventions_.repeat(earlier, Update(nextUpdate_));
}

void TapControl::beginUpdate() {
  const std::lock_guard lock(mutex_);
  const Update update(nextUpdate_++);
  if (!rehearsal_)
    for (const std::string &text : interventions_.notesAt(update))
      notes_.push_back({update, text, true});
  interventionWords_ = interventions_.wordsAt(update);
  if (rehearsal_) // it measures the program as it is
    interventionWords_.assign(interventionWords_.size(), {});
  if (isEverythingAsked_.exchange(false)) {
    for (WatchedTensor &item : watched_)
      item.once = item.largest();
    notes_.push_back({update, "everything on for this update"});
  }
  isReplaced_.assign(isReplaced_.size(), false);
  const std::vector<bool> *const rehearsed =
      rehearsal_ ? &rehearsal_() : nullptr;
  for (WatchedTensor &item : watched_) {
    const std::optional<std::size_t> due =
        rehearsed ? item.dueIn(*rehearsed) : item.dueAt(update);
    for (std::size_t i = 0; i < item.taps.size(); ++i) {
      const Tap &tap = *item.taps[i];
      isDue_[TapPlan::placeOf(tap.id)] = due == i;
      limits_[TapPlan::placeOf(tap.id)] = item.conditions[i].limits;
      if (due == i && tap.replaces)
        isReplaced_[TapPlan::placeOf(*tap.replaces)] = true;
    }
    item.once.reset();
    if (!due)
      continue;
    ++item.sent;
    const Tap &tap = *item.taps[*due];
    if (tap.payload == Payload::full && !tap.condition)
      transfers_[tap.id].push_back(update.value());
  }
  for (Waiting &waiting : waiting_) {
    if (!waiting.text.empty())
      notes_.push_back({update, waiting.text, waiting.isIntervention});
    waiting.update.set_value(update);
  }
  waiting_.clear();
}

void TapControl::follow(const std::function<bool(TapId)> &isDue) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t update = nextUpdate_++;
  for (const Tap &tap : plan_.taps())
    if (tap.payload == Payload::full && !tap.condition && isDue(tap.id))
      transfers_[tap.id].push_back(update);
}

bool TapControl::isDue(TapId tap) const {
  const std::size_t place = TapPlan::placeOf(tap);
  return TapPlan::isAlarm(tap) ? !isReplaced_[place] : isDue_[place];
}

float TapControl::limit(TapId tap, std::size_t which) const {
  return limits_[TapPlan::placeOf(tap)].at(which);
}

void TapControl::close() {
  const std::lock_guard lock(mutex_);
  isClosed_ = true;
  for (Waiting &waiting : waiting_)
    waiting.update.set_value(std::nullopt);
  waiting_.clear();
}

} // namespace popscope::outfeed

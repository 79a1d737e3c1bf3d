#include "host/executable/private_cache.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kKey(64, 'a');

class PrivateCacheTest : public testing::Test {
protected:
  PrivateCacheTest() : cache_(directory_.path() / "new" / "cache") {
    cache_.store(kKey, "content");
  }

  // Nothing, and why.
  std::string refusal() const {
    const PrivateCache::Found found = cache_.find(kKey);
    return found.content ? "found " + *found.content : found.problem;
  }
  void overwrite(const std::string &bytes) const {
    std::ofstream(cache_.entry(kKey), std::ios::binary) << bytes;
  }
  std::string bytes() const {
    std::ifstream in(cache_.entry(kKey), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const tests::TempDir directory_;
  const PrivateCache cache_;
};

TEST_F(PrivateCacheTest, FindsWhatWasStored) {
  EXPECT_EQ(cache_.find(kKey).content, "content");
  EXPECT_EQ(cache_.find(kKey).problem, "");
  cache_.store(kKey, "");
  EXPECT_EQ(cache_.find(kKey).content, "");
}

TEST_F(PrivateCacheTest, AbsentEntryIsNoProblem) {
  const PrivateCache::Found found = cache_.find(std::string(64, 'b'));
  EXPECT_FALSE(found.content);
  EXPECT_EQ(found.problem, "");
}

TEST_F(PrivateCacheTest, NothingButEntriesIsLeftBehind) {
  cache_.store(kKey, "other");
  const fs::path folder = cache_.entry(kKey).parent_path();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(PrivateCacheTest, DamageOfAnyKindIsSeen) {
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    overwrite(whole.substr(0, size));
    EXPECT_THAT(refusal(), HasSubstr("is damaged")) << size;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] ^= 4;
    overwrite(flipped);
    EXPECT_THAT(refusal(), HasSubstr("is damaged")) << i;
  }
  overwrite(whole + "x");
  EXPECT_THAT(refusal(), HasSubstr("is damaged"));
}

TEST_F(PrivateCacheTest, EntryOfAnotherKeyIsNotTakenForThisOne) {
  const std::string other(64, 'b');
  fs::copy_file(cache_.entry(kKey), cache_.entry(other));
  EXPECT_THAT(cache_.find(other).problem, HasSubstr("is damaged"));
}

TEST_F(PrivateCacheTest, MadeForThisUserAlone) {
  const fs::path entry = cache_.entry(kKey);
  EXPECT_EQ(fs::status(entry).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(entry.parent_path()).permissions(),
            fs::perms::owner_all);
}

// What is in an entry gets run, with the rights of whoever finds it.
TEST_F(PrivateCacheTest, WhatSomebodyElseCouldHaveWrittenIsNotUsed) {
  const fs::path entry = cache_.entry(kKey), folder = entry.parent_path();
  for (const fs::path &path : {entry, folder})
    for (const fs::perms perms :
         {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, perms, fs::perm_options::add);
      EXPECT_THAT(refusal(), HasSubstr("somebody else"));
      fs::permissions(path, perms, fs::perm_options::remove);
      EXPECT_EQ(refusal(), "found content");
    }
  fs::rename(entry, folder / "aside");
  fs::create_symlink(folder / "aside", entry);
  EXPECT_THAT(refusal(), HasSubstr("symbolic link"));
  cache_.store(kKey, "content");
  EXPECT_EQ(refusal(), "found content");
  if (::geteuid() != 0)
    return; // nothing can be given to others
  constexpr uid_t kNobody = 65534;
  for (const fs::path &path : {entry, folder}) {
    ASSERT_EQ(::chown(path.c_str(), kNobody, gid_t(-1)), 0);
    EXPECT_THAT(refusal(), HasSubstr("somebody else"));
    if (path == folder) {
      EXPECT_THROW(cache_.store(kKey, "content"), std::system_error);
    }
    ASSERT_EQ(::chown(path.c_str(), 0, gid_t(-1)), 0);
  }
}

} // namespace
} // namespace popscope::host

#include "outfeed/control/control_client.hpp"
#include "outfeed/control/control_message.hpp"
#include "outfeed/control/control_server.hpp"
#include "tests/support/temp_dir.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>

namespace popscope::outfeed {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(20);

// A program of one tensor whose updates begin one after the other.
class Program {
public:
  Program()
      : plan_({parseTapRule("a_acts @ never")}, TapPlan::Alarms::none,
              TapPlan::Control::live) {
    TensorTraits tensor;
    tensor.name = "a_acts";
    plan_.add(tensor);
    plan_.addStandbys(tensor);
    control_ =
        std::make_unique<TapControl>(plan_, Interventions(plan_.tensors(), 1));
    thread_ = std::thread([this] {
      while (!isDone_) {
        control_->beginUpdate();
        std::this_thread::yield();
      }
    });
  }
  ~Program() {
    isDone_ = true;
    thread_.join();
  }
  TapControl &control() { return *control_; }
  bool isOn() const { return control_->status()[0].isOn; }
  bool isChanged() const { return !control_->interventions().empty(); }

private:
  TapPlan plan_;
  std::unique_ptr<TapControl> control_;
  std::atomic<bool> isDone_{false};
  std::thread thread_;
};

ControlRequest enabling(const std::string &filter) {
  ControlRequest request;
  request.enable = {filter};
  return request;
}

ControlRequest zeroing(const std::string &filter) {
  ControlRequest request;
  request.interventions = {{filter, {InterventionKind::zero, 0}}};
  request.forUpdates = 1000;
  return request;
}

// What the server replies to these bytes, after which nothing comes.
ControlReply replyTo(const fs::path &directory, const std::string &bytes) {
  const Descriptor opened = openDirectory(directory), socket = newSocket();
  EXPECT_TRUE(connectTo(opened, socket));
  // The server may have had enough before all is sent.
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket.number(), bytes.data() + sent,
                                 bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0)
      break;
    sent += std::size_t(count);
  }
  ::shutdown(socket.number(), SHUT_WR);
  std::string line;
  ControlReply reply;
  // A server that closes with bytes unread may take its reply with it.
  if (readLine(socket, kMostReplyBytes, kPatience, line) != Line::whole)
    reply.refusal = "no reply";
  else
    reply = parseControlReply(line);
  return reply;
}

class ControlServerTest : public testing::Test {
protected:
  tests::TempDir directory_;
  Program program_;
};

TEST_F(ControlServerTest, AChangeIsConfirmedWithItsUpdate) {
  const ControlServer server(program_.control(), directory_.path());
  const ControlReply reply = sendControl(directory_.path(), enabling("a_acts"));
  EXPECT_EQ(reply.refusal, "");
  EXPECT_TRUE(reply.update);
  EXPECT_TRUE(program_.isOn());
  const std::vector<ControlNote> notes = program_.control().takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].update, *reply.update);
}

TEST_F(ControlServerTest, ARefusalIsHandedBack) {
  const ControlServer server(program_.control(), directory_.path());
  EXPECT_THAT(sendControl(directory_.path(), enabling("b_acts")).refusal,
              HasSubstr("no tensor matches 'b_acts'"));
}

TEST_F(ControlServerTest, ATornRequestChangesNothing) {
  const ControlServer server(program_.control(), directory_.path());
  for (const ControlRequest &request :
       {enabling("a_acts"), zeroing("a_acts")}) {
    const std::string whole = toJson(request);
    const bool wasOn = program_.isOn();
    for (std::size_t length = 0; length <= whole.size(); ++length)
      EXPECT_NE(replyTo(directory_.path(), whole.substr(0, length)).refusal,
                "");
    EXPECT_EQ(program_.isOn(), wasOn);
    EXPECT_FALSE(program_.isChanged());
    EXPECT_EQ(replyTo(directory_.path(), whole + "\n").refusal, "");
  }
  EXPECT_TRUE(program_.isOn());
  EXPECT_TRUE(program_.isChanged());
}

TEST_F(ControlServerTest, AForeignRequestChangesNothing) {
  const ControlServer server(program_.control(), directory_.path());
  std::string noise;
  for (unsigned i = 0; i < 3000; ++i)
    noise += char(i * i * 31 + i);
  for (const std::string &text :
       {std::string("GET / HTTP/1.1\n"), noise + "\n",
        std::string("{\"enable\": [\"a_acts\"]}\n"),
        std::string("{\"popscope_control\": 1, \"intervene\": [{\"filter\": "
                    "\"a_acts\", \"kind\": \"zero\", \"amount\": 0}], "
                    "\"for\": 1.5}\n"),
        std::string("{\"popscope_control\": 1, \"enable\": [\"a_acts\"], "
                    "\"exec\": \"x\"}\n")})
    EXPECT_NE(replyTo(directory_.path(), text).refusal, "");
  EXPECT_FALSE(program_.isOn());
  EXPECT_FALSE(program_.isChanged());
}

TEST_F(ControlServerTest, ARequestThatIsTooLongChangesNothing) {
  const ControlServer server(program_.control(), directory_.path());
  std::string text = toJson(enabling("a_acts"));
  text.insert(text.size() - 1, kMostRequestBytes, ' ');
  EXPECT_NE(replyTo(directory_.path(), text + "\n").refusal, "");
  EXPECT_NE(replyTo(directory_.path(), std::string(5 << 20, 'x')).refusal, "");
  EXPECT_FALSE(program_.isOn());
}

TEST_F(ControlServerTest, AnotherUserChangesNothing) {
  const ControlServer server(program_.control(), directory_.path(),
                             ::geteuid() + 1);
  for (const ControlRequest &request : {enabling("a_acts"), zeroing("a_acts")})
    EXPECT_NE(replyTo(directory_.path(), toJson(request) + "\n").refusal, "");
  EXPECT_FALSE(program_.isOn());
  EXPECT_FALSE(program_.isChanged());
}

TEST_F(ControlServerTest, TheSocketIsTheOwnersAloneAndGoesAway) {
  const fs::path path = fs::path(directory_.path()) / kControlSocket;
  {
    const ControlServer server(program_.control(), directory_.path());
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ControlServerTest, ADirectoryOfEveryoneIsRefused) {
  fs::permissions(directory_.path(), fs::perms::all);
  EXPECT_THROW(ControlServer(program_.control(), directory_.path()),
               std::runtime_error);
}

TEST_F(ControlServerTest, AStaleSocketIsReplacedAndALiveOneIsNot) {
  {
    const Descriptor opened = openDirectory(directory_.path());
    const Descriptor killed = newSocket();
    const sockaddr_un address = addressIn(opened);
    ASSERT_EQ(::bind(killed.number(),
                     reinterpret_cast<const sockaddr *>(&address),
                     sizeof address),
              0);
  }
  try {
    sendControl(directory_.path(), {});
    FAIL() << "nobody listens";
  } catch (const NoControl &error) {
    EXPECT_THAT(error.what(), HasSubstr("was killed"));
  }
  const ControlServer server(program_.control(), directory_.path());
  EXPECT_EQ(sendControl(directory_.path(), {}).refusal, "");
  EXPECT_THROW(ControlServer(program_.control(), directory_.path()),
               std::runtime_error);
  EXPECT_EQ(sendControl(directory_.path(), {}).refusal, "");
}

TEST_F(ControlServerTest, ThePathMayBeLong) {
  const fs::path deep = fs::path(directory_.path()) / std::string(200, 'd') /
                        std::string(200, 'e');
  fs::create_directories(deep);
  const ControlServer server(program_.control(), deep);
  EXPECT_TRUE(sendControl(deep, enabling("a_acts")).update);
}

TEST_F(ControlServerTest, WithoutAProgramTheReasonIsSaid) {
  for (const auto &[path, reason] :
       {std::pair<std::string, std::string>(directory_.path(),
                                            "no program runs here"),
        {"/nowhere/at/all", "No such file"}})
    try {
      sendControl(path, {});
      FAIL() << path;
    } catch (const NoControl &error) {
      EXPECT_THAT(error.what(), HasSubstr(path + ": " + reason));
    }
}

TEST(ControlServer, StopsWhileARequestWaitsForAnUpdate) {
  const tests::TempDir directory;
  TapPlan plan({parseTapRule("a_acts")}, TapPlan::Alarms::none,
               TapPlan::Control::live);
  TensorTraits tensor;
  tensor.name = "a_acts";
  plan.add(tensor);
  TapControl control(plan);
  auto server = std::make_unique<ControlServer>(control, directory.path());
  ControlRequest request;
  request.disable = {"a_acts"};
  ControlReply reply;
  std::thread client([&] { reply = sendControl(directory.path(), request); });
  while (control.status()[0].isOn)
    std::this_thread::yield();
  server.reset();
  client.join();
  EXPECT_THAT(reply.refusal, HasSubstr("ended"));
}

} // namespace
} // namespace popscope::outfeed

// A device and a server that share a key: what one encrypts the other reads, with the commands and
// the example of the documentation.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cases.h"
#include "peer.h"

namespace gpuctr::avr {
namespace {

std::string hex(const Bytes& bytes) {
  std::ostringstream out;
  for (const std::uint8_t b : bytes)
    out << "0123456789abcdef"[b >> 4] << "0123456789abcdef"[b & 15];
  return out.str();
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void write_file(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
}

// 200 lines, as a logger would keep them: more than the device's memory.
Bytes sensor_log() {
  std::ostringstream log;
  Draw draw(7);
  for (int i = 0; i < 200; ++i) {
    log << "2026-11-21T08:" << 10 + i / 20 << ":" << 10 + i % 50 << "Z,T=" << 18 + draw.below(6)
        << "." << draw.below(10) << ",RH=" << 40 + draw.below(20) << ",U=" << 3000 + draw.below(300)
        << "\n";
  }
  const std::string text = log.str();
  return Bytes(text.begin(), text.end());
}

class Story : public testing::TestWithParam<Variant> {
 protected:
  Story() {
    char name[] = "/tmp/gpuctr-avr-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Story() override { std::filesystem::remove_all(folder_); }

  // In pieces, as they come from a sensor.
  Bytes device_crypt(const Bytes& key_bytes, const Bytes& iv, const Bytes& data) {
    device_.free_all();
    const DeviceKey key(device_, GetParam(), key_bytes);
    DeviceCtr ctr(device_, key, iv);
    Bytes out;
    while (out.size() < data.size()) {
      const auto at = data.begin() + static_cast<long>(out.size());
      const auto n = static_cast<long>(std::min<std::size_t>(237, data.size() - out.size()));
      const auto piece = ctr.crypt(Bytes(at, at + n), true);
      EXPECT_TRUE(piece);
      out.insert(out.end(), piece->begin(), piece->end());
    }
    return out;
  }

  // `openssl enc`, from one file of the folder to another.
  void server(const std::string& direction, const Bytes& key, const Bytes& iv, const char* from,
              const char* to) {
    std::string mode = GetParam().name;
    for (char& c : mode) c = static_cast<char>(std::tolower(c));
    const std::string command = "cd '" + folder_.string() + "' && openssl enc " + direction + " -" +
                                mode + "-ctr -K " + hex(key) + " -iv " + hex(iv) +
                                " -provider-path '" GPUCTR_MODULE_DIR
                                "' -provider gpuctr -provider default -in " +
                                from + " -out " + to;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  std::filesystem::path folder_;
  Device device_;
  Draw draw_{11};
};

TEST_P(Story, TheServerReadsTheDevicesLog) {
  const Spec spec = read_spec(device_, GetParam());
  const Bytes key = draw_key(draw_, GetParam(), spec.key), iv = draw_.iv(spec.block);
  const Bytes log = sensor_log();
  const Bytes sent = device_crypt(key, iv, log);
  ASSERT_NE(sent, log);
  write_file(folder_ / "log.enc", sent);
  server("-d", key, iv, "log.enc", "log.txt");
  EXPECT_EQ(read_file(folder_ / "log.txt"), log);
}

TEST_P(Story, TheDeviceReadsTheServersConfiguration) {
  const Spec spec = read_spec(device_, GetParam());
  const Bytes key = draw_key(draw_, GetParam(), spec.key), iv = draw_.iv(spec.block);
  const Bytes text = sensor_log();
  write_file(folder_ / "text", text);
  server("-e", key, iv, "text", "text.enc");
  EXPECT_EQ(device_crypt(key, iv, read_file(folder_ / "text.enc")), text);
}

INSTANTIATE_TEST_SUITE_P(Avr, Story, testing::ValuesIn(kVariants), variant_name);

// ---- README.md's example ----

TEST(Example, TheGatewayReadsItAndAnswers) {
  Machine machine(GPUCTR_AVR_EXAMPLE);
  Draw draw(3);
  const std::uint16_t key_at = machine.data("test_arena");
  const auto packet_at = static_cast<std::uint16_t>(key_at + 16);
  const Bytes key = draw.bytes(16), header = draw.bytes(12), text = draw.bytes(300);
  const auto call = [&](const char* function, const std::vector<std::uint16_t>& arguments) {
    const CallResult result = machine.call(function, arguments);
    EXPECT_EQ(result.fault, "") << function;
    return result.value & 0xff;
  };
  const auto join = [](Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto nonce = [&](std::uint8_t direction) { return join({direction}, header); };
  machine.write(key_at, key);
  call("packet_key", {key_at});
  machine.write(packet_at, join(header, text));
  ASSERT_EQ(call("packet_seal", {packet_at, 300}), kOk);
  EXPECT_EQ(machine.read(packet_at, 320),
            join(header, peer_ccm_seal("LEA-128", key, nonce(0), header, text, 8)));

  Bytes answer = join(header, peer_ccm_seal("LEA-128", key, nonce(1), header, text, 8));
  machine.write(packet_at, answer);
  ASSERT_EQ(call("packet_open", {packet_at, 300}), kOk);
  EXPECT_EQ(machine.read(static_cast<std::uint16_t>(packet_at + 12), 300), text);
  answer[200] ^= 1;
  machine.write(packet_at, answer);
  ASSERT_EQ(call("packet_open", {packet_at, 300}), kErrTag);
  EXPECT_EQ(machine.read(static_cast<std::uint16_t>(packet_at + 12), 300), Bytes(300, 0));
}

// What the reader sees is what was compiled.
TEST(Example, IsInTheReadme) {
  const auto text = [](const std::string& path) {
    const Bytes bytes = read_file(path);
    return std::string(bytes.begin(), bytes.end());
  };
  const std::string folder = GPUCTR_AVR_FOLDER, code = text(folder + "/example/message.c");
  const std::size_t start = code.find("#include");
  ASSERT_NE(start, std::string::npos);
  EXPECT_NE(text(folder + "/README.md").find("```c\n" + code.substr(start) + "```\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gpuctr::avr

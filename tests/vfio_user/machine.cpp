// SPDX-License-Identifier: BSD-3-Clause
#include "tests/vfio_user/machine.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace vfio_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto PATIENCE = std::chrono::seconds(10);
constexpr uint64_t MSI_ADDRESS = 0xfee01000;
constexpr uint16_t MSI_DATA = 0x4021;
constexpr uint32_t CORE_KHZ = 225'000; // of the D card

fs::path build_folder() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

Bytes firmware() {
    const char* named = getenv("MYRI_FIRMWARE");
    std::ifstream file(named ? fs::path(named) : build_folder() / "firmware" / "lanaix.bin", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

uint32_t swapped(const uint8_t* bytes) {
    uint32_t word;
    std::memcpy(&word, bytes, sizeof word);
    return __builtin_bswap32(word);
}

uint64_t mac_of(const std::string& text) {
    uint64_t mac = 0;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ':');)
        mac = mac << 8 | std::stoul(part, nullptr, 16);
    return mac;
}

} // namespace

std::string Fabric::program() { return build_folder() / "bin/myri-fabric"; }

Fabric::Fabric(unsigned local_hosts, unsigned guests) {
    folder_ = "/tmp/vfio-test-XXXXXX";
    if (!mkdtemp(folder_.data()))
        throw std::runtime_error("mkdtemp");
    std::vector<std::string> arguments = {program(), "start", "--foreground", "--hosts",
                                          std::to_string(local_hosts), "--socket", socket(), "--peers",
                                          folder_ + "/peers"};
    for (unsigned n = 0; n < guests; n++) {
        arguments.push_back("--qemu");
        arguments.push_back(card(n));
    }
    int ready[2];
    if (pipe(ready) != 0)
        throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
        dup2(ready[1], STDOUT_FILENO);
        close(ready[0]);
        close(ready[1]);
        std::vector<char*> pointers;
        for (std::string& a : arguments)
            pointers.push_back(a.data());
        pointers.push_back(nullptr);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    close(ready[1]);
    const File heard(ready[0]);
    char byte;
    if (::read(heard.get(), &byte, 1) != 1) // it says where it is once it serves
        throw std::runtime_error("myri-fabric has not started");
}

Fabric::~Fabric() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    fs::remove_all(folder_);
}

std::string Fabric::peers() const {
    std::ifstream file(folder_ + "/peers");
    return {std::istreambuf_iterator<char>(file), {}};
}

long Fabric::used_ms() const {
    std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
    std::string text{std::istreambuf_iterator<char>(stat), {}};
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    long ticks = 0;
    for (int n = 3; n <= 15 && fields >> field; n++)
        if (n >= 14)
            ticks += std::stol(field);
    return ticks * 1000 / sysconf(_SC_CLK_TCK);
}

int Fabric::stop() {
    int status = 0;
    kill(pid_, SIGTERM);
    waitpid(pid_, &status, 0);
    pid_ = -1;
    for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path().filename() != "peers")
            throw std::runtime_error("left behind: " + entry.path().string());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// board/'s way to the card: SRAM through the mapping, unseen by the server; everything else by messages.
struct Machine::Ops {
    static Machine& machine(void* context) { return *static_cast<Machine*>(context); }
    static uint32_t read32(void* context, uint32_t offset) {
        Machine& m = machine(context);
        return offset < m.sram_size_ ? swapped(m.sram + offset) : m.client.card_word(offset);
    }
    static void write32(void* context, uint32_t offset, uint32_t value) {
        Machine& m = machine(context);
        if (offset >= m.sram_size_)
            return m.client.set_card_word(offset, value);
        std::atomic_ref(*reinterpret_cast<uint32_t*>(m.sram + offset))
            .store(__builtin_bswap32(value), std::memory_order_release);
    }
    static void copy_to_sram(void* context, uint32_t offset, const void* bytes, uint32_t length) {
        std::memcpy(machine(context).sram + offset, bytes, length);
    }
    static void zero_sram(void* context, uint32_t offset, uint32_t length) {
        std::memset(machine(context).sram + offset, 0, length);
    }
    static void delay_ms(void*, uint32_t ms) { usleep(ms * 1000); }
    static void bus_master(void* context, bool on) {
        machine(context).client.set_config<uint16_t>(4, on ? 6 : 2);
    }
    static void log(void* context, const char* text) { machine(context).log_ = text; }
    static constexpr board_ops table{read32, write32, copy_to_sram, zero_sram, delay_ms, bus_master, log};
};

File Machine::connect(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect " + path);
    return socket;
}

Machine::Machine(const std::string& socket)
    : client(connect(socket),
             [this] {
                 pollfd there{client.fd(), POLLIN, 0};
                 poll(&there, 1, 100);
             }),
      memory_(memfd(RAM)), bell_(eventfd()) {
    ram = static_cast<uint8_t*>(mmap(nullptr, RAM, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
    client.greet();
    if (client.map(HIGH, RAM, memory_.get()) != 0)
        throw std::runtime_error("guest memory");
    auto [file, size] = client.sram();
    sram_size_ = size;
    sram = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    if (ram == MAP_FAILED || sram == MAP_FAILED)
        throw std::runtime_error("mmap");
}

Machine::~Machine() {
    munmap(ram, RAM);
    munmap(sram, sram_size_);
}

void Machine::boot(bool msi) {
    const Bytes image = firmware();
    used_ = 0;
    msi_ = msi;
    client.set_config<uint16_t>(0x52, 0x80);
    if (board_boot(&board, &Ops::table, this, CORE_KHZ, image.data(), static_cast<uint32_t>(image.size())) != 0)
        throw std::runtime_error("boot: " + log_);
    if (msi) {
        client.set_config<uint32_t>(0x54, MSI_ADDRESS);
        client.set_config<uint32_t>(0x58, 0);
        client.set_config<uint16_t>(0x5c, MSI_DATA);
        client.set_config<uint16_t>(0x52, 0x81);
        board_msi_set(&board, true, MSI_ADDRESS, MSI_DATA);
    }
    if (client.set_irqs(0x21, msi ? INTX : MSI, 0) != 0 || client.set_irqs(0x24, msi ? MSI : INTX, 1, bell_.get()) != 0)
        throw std::runtime_error("interrupts");
}

bool Machine::interrupt_came(int timeout_ms) {
    pollfd bell{bell_.get(), POLLIN, 0};
    if (poll(&bell, 1, timeout_ms) != 1)
        return false;
    interrupts_ += static_cast<unsigned>(fired(bell_));
    if (!msi_) {
        board_interrupt_acknowledge(&board);
        client.set_irqs(0x11, INTX, 1);
    }
    return true;
}

int Machine::command(uint32_t opcode, std::initializer_list<uint32_t> arguments, uint32_t* value) {
    int result = board_command_start(&board, opcode, arguments.begin(), static_cast<unsigned>(arguments.size()));
    uint32_t ignored;
    if (result != 0)
        throw std::runtime_error("command: " + log_);
    const auto limit = Clock::now() + PATIENCE;
    while (!board_command_finished(&board, &result, value ? value : &ignored))
        if (!interrupt_came(2000) || Clock::now() > limit)
            throw std::runtime_error("no interrupt for command " + std::to_string(opcode));
    return result;
}

bool Machine::status_becomes(uint32_t status) const {
    const auto limit = Clock::now() + PATIENCE;
    while (swapped(sram + FW_GLOBALS + offsetof(fw_globals, status)) != status) {
        if (Clock::now() > limit)
            return false;
        usleep(1000);
    }
    return true;
}

void Machine::set_peers(const std::string& table) {
    std::vector<board_peer> peers;
    std::istringstream lines(table);
    bool ours = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('[')) {
            ours = mac_of(line.substr(1)) == board.eeprom.mac;
            continue;
        }
        if (!ours)
            continue;
        std::istringstream words(line);
        std::string mac, name, route;
        words >> mac >> name >> route;
        board_peer peer{};
        peer.mac = mac_of(mac);
        peer.route_length = static_cast<uint32_t>(route.size() / 2);
        for (size_t n = 0; n < route.size() / 2; n++)
            peer.route[n] = static_cast<uint8_t>(std::stoul(route.substr(2 * n, 2), nullptr, 16));
        peers.push_back(peer);
    }
    std::vector<uint16_t> index(peers.size());
    if (peers.empty() ||
        board_peers_set(&board, peers.data(), static_cast<uint32_t>(peers.size()), index.data()) != 0 ||
        command(FW_COMMAND_PEERS, {board.peer_count}) != 0)
        throw std::runtime_error("peer table: " + log_);
}

std::unique_ptr<Machine::Endpoint> Machine::open(uint32_t id, uint32_t session) {
    constexpr uint32_t ENTRIES = 64, BYTES = 16384;
    const uint64_t events = used_, receive = events + ENTRIES * FW_EVENT_SIZE, send = receive + BYTES;
    used_ = send + BYTES;
    std::memset(ram + events, 0, used_ - events);
    const board_rings rings{HIGH + events, HIGH + receive, HIGH + send, ENTRIES, BYTES, BYTES, session};
    if (board_endpoint_set(&board, id, &rings) != 0 || command(FW_COMMAND_OPEN, {id}) != 0)
        throw std::runtime_error("endpoint: " + log_);
    const uint32_t window = board.endpoint_windows + id * FW_ENDPOINT_WINDOW_SIZE;
    return std::make_unique<Endpoint>(Endpoint{
        id, session, events, 0,
        myri::rig::SlotWriter([this, window](myri::emulator::Time when, uint32_t offset, const Bytes& bytes) {
            std::atomic_thread_fence(std::memory_order_release);
            std::memcpy(sram + window + offset, bytes.data(), bytes.size());
            return when;
        })});
}

fw_event Machine::next(Endpoint& endpoint) {
    constexpr uint32_t ENTRIES = 64;
    const auto limit = Clock::now() + PATIENCE;
    for (;;) {
        const uint8_t* entry = ram + endpoint.events + endpoint.read % ENTRIES * FW_EVENT_SIZE;
        const uint64_t trailer = std::atomic_ref(*reinterpret_cast<uint64_t*>(const_cast<uint8_t*>(entry) + 56))
                                     .load(std::memory_order_acquire);
        const auto generation = static_cast<uint16_t>(__builtin_bswap16(static_cast<uint16_t>(trailer >> 48)));
        if (generation == FW_GENERATION(endpoint.read, ENTRIES)) {
            fw_event event;
            std::memcpy(&event, entry, sizeof event);
            endpoint.read++;
            const Bytes consumed = pack(__builtin_bswap32(endpoint.read), uint32_t{0});
            endpoint.writer.store(offsetof(fw_endpoint_window, events_consumed), consumed);
            endpoint.writer.flush(0);
            if (event.type != FW_EVENT_SLOTS)
                return event;
        } else if (Clock::now() > limit) {
            throw std::runtime_error("no event");
        } else {
            usleep(20);
        }
    }
}

void Machine::send(Endpoint& from, uint16_t peer, const Endpoint& to, const Bytes& body) {
    myri::rig::SlotRequest request;
    request.peer = peer;
    request.endpoint = static_cast<uint8_t>(to.id);
    request.session = to.session;
    request.body = body;
    from.writer.post(0, request);
}

} // namespace vfio_test

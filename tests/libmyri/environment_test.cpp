// SPDX-License-Identifier: BSD-3-Clause
// Environment variables: defaults, values, and what is said about wrong ones.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "libmyri/environment.h"

using namespace myri;

namespace {
std::vector<std::string> warnings;
Options parse(std::vector<const char*> list) {
    warnings.clear();
    list.push_back(nullptr);
    return parse_environment(list.data(), [](const char* text) { warnings.emplace_back(text); });
}
} // namespace

TEST_CASE("defaults: checksum, zombies, cache and fatal errors on, the rest off") {
    const Options o = parse({"PATH=/bin"});
    CHECK(o.checksum);
    CHECK(o.zombie_send);
    CHECK_EQ(o.registration_cache, 1u);
    CHECK(o.errors_are_fatal);
    CHECK_FALSE(o.disable_self);
    CHECK_FALSE(o.monothread);
    CHECK_FALSE(o.bounce);
    CHECK_EQ(o.max_retries, 1000u);
    CHECK_EQ(o.immediate_ack, 4u);
    CHECK_EQ(std::string(o.fabric), "");
    CHECK(warnings.empty());
}

TEST_CASE("values are taken") {
    const Options o =
        parse({"MX_CSUM=0", "MX_RCACHE=2", "MX_MAX_RETRIES=0x10", "MYRI_FABRIC=/run/f", "MYRI_HOST=n3", "MYRI_BOUNCE=1"});
    CHECK_FALSE(o.checksum);
    CHECK_EQ(o.registration_cache, 2u);
    CHECK_EQ(o.max_retries, 16u);
    CHECK_EQ(std::string(o.fabric), "/run/f");
    CHECK_EQ(std::string(o.host), "n3");
    CHECK(o.bounce);
    CHECK(warnings.empty());
}

TEST_CASE("nonsense is named and the default holds") {
    const Options o = parse({"MX_IMM_ACK=many", "MX_MAX_RETRIES=-1", "MX_VERBOSE=99999999999"});
    CHECK_EQ(o.immediate_ack, 4u);
    CHECK_EQ(o.max_retries, 1000u);
    REQUIRE_EQ(warnings.size(), 3u);
    CHECK(warnings[1].find("MX_IMM_ACK") != std::string::npos);
    CHECK(warnings[1].find("many") != std::string::npos);
}

TEST_CASE("unknown variables of ours are named, others are not our business") {
    parse({"MX_ZOMBIES=0", "MYRI_HOSTS=n0", "OMX_CSUM=1", "MXX=1", "MX_CSUM=1", "MYRI_DATA=/x"});
    REQUIRE_EQ(warnings.size(), 2u);
    CHECK(warnings[0].find("MX_ZOMBIES") != std::string::npos);
    CHECK(warnings[1].find("MYRI_HOSTS") != std::string::npos);
}

TEST_CASE("mistakes that known programs make in setting variables are not held against their users") {
    parse({"MX_ZOMBIE=0", "MX_DISABLE_SHARED=1", "MX_FATAL_ERRORS=0"});
    CHECK(warnings.empty());
}

// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libmyri/endpoint.h"

extern "C" {

static mx_return_t errors_are_fatal(char* text, mx_return_t code) {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "MX:%s:%s:error %d:%s\nMX:Aborting\n", host, text, static_cast<int>(code),
            mx_strerror(code));
    exit(1);
}

static mx_return_t errors_return(char*, mx_return_t code) {
    return code;
}

extern const mx_error_handler_t MX_ERRORS_ARE_FATAL = errors_are_fatal;
extern const mx_error_handler_t MX_ERRORS_RETURN = errors_return;

} // extern "C"

namespace myri {

namespace {
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects the two below
mx_error_handler_t default_handler = errors_are_fatal;
mx_error_handler_t chosen = nullptr;

mx_error_handler_t handler_of(Endpoint* endpoint) {
    if (endpoint && endpoint->error_handler)
        return endpoint->error_handler;
    pthread_mutex_lock(&lock);
    const mx_error_handler_t handler = chosen ? chosen : default_handler;
    pthread_mutex_unlock(&lock);
    return handler;
}
} // namespace

mx_return_t fail(Endpoint* endpoint, mx_return_t code, const char* function, const char* format, ...) {
    char text[768];
    const int n = snprintf(text, sizeof text, "%s:", function);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + n, sizeof text - static_cast<size_t>(n), format, arguments);
    va_end(arguments);
    return handler_of(endpoint)(text, code);
}

void report_lost_send(Endpoint* endpoint, const char* text) {
    const mx_error_handler_t handler = handler_of(endpoint);
    if (handler == errors_return)
        return;
    if (handler == errors_are_fatal) {
        fprintf(stderr, "MX:%s\n", text); // the send was reported as done: no reason to end the program
        return;
    }
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    handler(copy, MX_FAILURE);
}

void set_default_fatal(bool fatal) {
    pthread_mutex_lock(&lock);
    default_handler = fatal ? errors_are_fatal : errors_return;
    pthread_mutex_unlock(&lock);
}

} // namespace myri

extern "C" mx_error_handler_t mx_set_error_handler(mx_error_handler_t handler) {
    using namespace myri;
    pthread_mutex_lock(&lock);
    const mx_error_handler_t before = chosen ? chosen : default_handler;
    chosen = handler;
    pthread_mutex_unlock(&lock);
    return before;
}

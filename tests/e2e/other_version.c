/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver of another version: listens at the path given and refuses whoever attaches, until it is killed. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi/driver.h"

int main(int argc, char** argv) {
    static unsigned char frame[MYRI_FRAME_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path)
        return 2;
    strcpy(address.sun_path, argv[1]);
    if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 4) != 0) {
        perror(argv[1]);
        return 1;
    }
    for (;;) {
        const int client = accept(listener, NULL, NULL);
        const ssize_t got = recv(client, frame, sizeof frame, 0);
        if (got >= (ssize_t)(sizeof(struct myri_frame) + sizeof(struct myri_attach))) {
            struct myri_frame head;
            struct myri_attach attach;
            memcpy(&head, frame, sizeof head);
            memcpy(&attach, frame + sizeof head, sizeof attach);
            head.status = -71; /* EPROTO */
            attach.abi = MYRI_DRIVER_ABI + 1;
            memcpy(frame, &head, sizeof head);
            memcpy(frame + sizeof head, &attach, sizeof attach);
            if (send(client, frame, sizeof head + sizeof attach, 0) < 0)
                perror("send");
        }
        close(client);
    }
}

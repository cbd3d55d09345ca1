# SPDX-License-Identifier: BSD-3-Clause
"""A free-running emulated fabric: one host of local processes and a card for each guest."""
import os
import subprocess
import time

import host


class Fabric:
    """Serves `cards` cards on sockets `self.cards`; local processes find it by `self.environment`."""

    def __init__(self, build, folder, cards, log, processor=None):
        self.socket, self.peers = f"{folder}/fabric", f"{folder}/peers"
        self.cards = [f"{folder}/card{i}" for i in range(cards)]
        self._build = build
        arguments = [f"{build}/bin/myri-fabric", "start", "--foreground", "--socket", self.socket, "--hosts", "1",
                     "--peers", self.peers]
        for card in self.cards:
            arguments += ["--qemu", card]
        if processor is not None:
            arguments = ["taskset", "-c", str(processor), *arguments]
        self._log = open(log, "ab")
        self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                         preexec_fn=host.end_with_parent)
        try:  # before guests that poll and leave no processor idle
            os.setpriority(os.PRIO_PROCESS, self._process.pid, -10)
        except PermissionError:
            pass
        limit = time.monotonic() + 20
        while not all(os.path.exists(place) for place in (self.socket, self.peers, *self.cards)):
            if self._process.poll() is not None or time.monotonic() > limit:
                self.kill()
                raise RuntimeError(f"myri-fabric did not start; see {log}")
            time.sleep(0.05)

    @property
    def environment(self):
        return dict(os.environ, MYRI_FABRIC=self.socket, MYRI_HOST="n0")

    def run(self, command, timeout=60):
        """Runs a tool as a process of the local host."""
        return subprocess.run([f"{self._build}/bin/{command[0]}", *command[1:]], env=self.environment, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def start(self, command):
        return subprocess.Popen([f"{self._build}/bin/{command[0]}", *command[1:]], env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def inject(self, *arguments):
        return self.run(["myri-fabric", "inject", *arguments])

    def kill(self):
        """As if every card were pulled out. Safe to call again."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._log.close()

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                pass
        self.kill()

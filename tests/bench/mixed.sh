#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A busy build and file server: compilers, interpreters, walks over files,
# compression.  Many short processes, many stacks.  Runs until it is killed.

have() {
	command -v "$1" >/dev/null 2>&1
}

compile_c() {
	printf '%s\n' '#include <math.h>' '#include <stdio.h>' '#include <stdlib.h>' \
		'#include <string.h>' 'int main(void) { return (int)strlen("x"); }' |
		cc -O2 -x c - -o /dev/null
}

compile_cxx() {
	printf '%s\n' '#include <algorithm>' '#include <functional>' '#include <regex>' \
		'int main() { std::smatch m; std::string s("a1");' \
		'return std::regex_search(s, m, std::regex("[0-9]+")) ? 0 : 1; }' |
		c++ -O2 -x c++ - -o /dev/null
}

interpret() {
	python3 -c '
import hashlib, json, random, re
words = ["%x" % random.getrandbits(40) for _ in range(4000)]
for _ in range(12):
    text = json.dumps({w: [w] * 3 for w in words})
    sorted(json.loads(text), key=lambda w: hashlib.sha1(w.encode()).digest())
    len(re.findall(r"[a-f]{2}[0-9]+", text))
'
}

run_node() {
	node -e '
const words = new Map();
for (let i = 0; i < 400000; i++) {
	const w = (i * 2654435761 % 65536).toString(36);
	words.set(w, (words.get(w) || 0) + 1);
}
JSON.parse(JSON.stringify([...words].sort()));
'
}

walk() {
	find /usr/lib /usr/share -type f | sort | md5sum
}

pack() {
	tar cf - -C / usr/include | gzip -2 | wc -c
}

while :; do
	have cc && compile_c
	have c++ && compile_cxx
	have python3 && interpret
	walk
	pack
	have node && run_node
done >/dev/null 2>&1

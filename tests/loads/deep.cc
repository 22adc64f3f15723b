/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deep stacks of templates and containers: main, 24 levels of descend(), a tree of strings that is
 * searched and filled; and sorting with a comparator that is inlined.
 */
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

static volatile size_t kept;

template <class Container>
__attribute__((noinline)) static size_t
fill(Container &names, unsigned seed)
{
	for (unsigned i = 0; i < 300; i++)
		names.insert("name-" + std::to_string((seed + i * 37) % 700));
	return names.size();
}

template <class Container>
__attribute__((noinline)) static size_t
descend(Container &names, unsigned level, unsigned seed)
{
	if (level == 0)
		return fill(names, seed);
	return descend(names, level - 1, seed + level) + 1;
}

int
main()
{
	std::set<std::string> names;
	std::vector<unsigned> numbers(15000);

	for (unsigned round = 0;; round++) {
		for (size_t i = 0; i < numbers.size(); i++)
			numbers[i] = (unsigned)(i * 2654435761u + round);
		std::sort(numbers.begin(), numbers.end(),
			  [](unsigned a, unsigned b) { return a % 4099 < b % 4099; });
		kept = descend(names, 24, round) + numbers[7];
	}
}

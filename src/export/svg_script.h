/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_SVG_SCRIPT_H
#define PTOP_EXPORT_SVG_SCRIPT_H
/*
 * What moves in an SVG flame graph.  A box is a g with a rect and a text; data-x and data-w are
 * where it begins and how wide it is, parts of 1, data-n is its name.
 */

static const char svg_script[] =
	"'use strict';\n"
	"const W = +document.documentElement.dataset.width, CHAR = +document.documentElement.dataset.char;\n"
	"const boxes = [...document.querySelectorAll('g.b')].map(g => ({ g, rect: g.children[1],\n"
	"  text: g.children[2], x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d, name: g.dataset.n }));\n"
	"const say = document.getElementById('say'), found = document.getElementById('found');\n"
	"let from = 0, part = 1, depth = 0;\n"
	"function draw() {\n"
	"  for (const b of boxes) {\n"
	"    const left = Math.max((b.x - from) / part, 0), right = Math.min((b.x + b.w - from) / part, 1);\n"
	"    const shown = right - left > 0.00005;\n"
	"    b.g.style.display = shown ? '' : 'none';\n"
	"    if (!shown) continue;\n"
	"    b.g.classList.toggle('above', b.d < depth);\n"
	"    b.rect.setAttribute('x', left * W);\n"
	"    b.rect.setAttribute('width', Math.max((right - left) * W - 0.5, 0.2));\n"
	"    const room = Math.floor(((right - left) * W - 6) / CHAR), all = [...b.name];\n"
	"    b.text.setAttribute('x', left * W + 3);\n"
	"    b.text.textContent = room < 3 ? '' : all.length <= room ? b.name :\n"
	"      all.slice(0, room - 2).join('') + '..';\n"
	"  }\n"
	"}\n"
	"function zoom(b) { from = b.x; part = b.w || 1; depth = b.d; draw(); }\n"
	"function search(what) {\n"
	"  const low = (what || '').toLowerCase(), hits = [];\n"
	"  for (const b of boxes) {\n"
	"    b.hit = low !== '' && b.name.toLowerCase().includes(low);\n"
	"    b.g.classList.toggle('hit', b.hit);\n"
	"    if (b.hit) hits.push(b);\n"
	"  }\n"
	"  hits.sort((p, q) => p.x - q.x || q.w - p.w);\n"
	"  let sum = 0, end = 0;\n"
	"  for (const b of hits)\n"
	"    if (b.x >= end - 1e-9) { sum += b.w; end = b.x + b.w; }\n"
	"  found.textContent = low === '' ? '' : 'matches: ' + (sum * 100).toFixed(2) + '%';\n"
	"}\n"
	"function ask() { const what = prompt('Search for a part of a name'); if (what !== null) search(what); }\n"
	"for (const b of boxes) {\n"
	"  b.g.addEventListener('click', () => zoom(b));\n"
	"  b.g.addEventListener('mouseover', () => { say.textContent = b.g.children[0].textContent; });\n"
	"}\n"
	"document.getElementById('reset').addEventListener('click', () => { search(''); zoom(boxes[0]); });\n"
	"document.getElementById('search').addEventListener('click', ask);\n"
	"document.addEventListener('keydown', e => {\n"
	"  if (e.key === 'Escape') { search(''); zoom(boxes[0]); }\n"
	"  else if (e.key === '/' || (e.key === 'f' && (e.ctrlKey || e.metaKey))) { e.preventDefault(); ask(); }\n"
	"});\n"
	"draw();\n";

#endif

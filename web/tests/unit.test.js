// What can be tested without a browser.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

// As much of a browser as the modules look at when they are loaded.
globalThis.location = new URL('http://127.0.0.1/');
globalThis.document = { documentElement: { dataset: {} }, addEventListener() {} };

const page = (name) => import(new URL(`../page/${name}`, import.meta.url));
const { open } = await page('api.js');
const { parse } = await page('events.js');
const { merged, wants } = await page('log.js');
const { draw, plain, slug } = await page('markdown.js');
const { steps } = await page('parts/diff.js');
const { standings } = await page('parts/status.js');
const { lines, matching } = await page('parts/tree.js');
const { decoded, isView } = await page('router.js');
const { example, lineOf, told } = await page('views/change.js');
const { contents, lead } = await page('views/docs.js');
const { recent, sorted } = await page('views/overview.js');
const { clock, count, length } = await page('words.js');

/** Elements as text: (tag …). */
function written(node) {
  if (Array.isArray(node)) return node.map(written).join('');
  if (node === null || node === undefined || node === false) return '';
  if (typeof node !== 'object') return String(node);
  const inside = written(node.props.children);
  const about = node.props.href ?? node.props.src ?? '';
  return `(${node.type}${about && ` ${about}`}${inside && ` ${inside}`})`;
}
const markdown = (text) => written(draw(text));

test('Markdown becomes elements', () => {
  assert.equal(markdown('# One\n\ntwo\nthree'), '(h1 One)(p two\nthree)');
  assert.equal(markdown('a `b <i>` **c** *d* [e](f.md#g) <http://h>'), '(p a (code b <i>) (strong c) (em d) (a f.md#g e) (a http://h http://h))');
  assert.equal(markdown('- a\n- b\n  - c\n\n1. d'), '(ul (li a)(li b(ul (li c))))(ol (li d))');
  assert.equal(markdown('| a | b |\n|---|--:|\n| `x|y` | z |'), '(div (table (thead (tr (th a)(th b)))(tbody (tr (td (code x|y))(td z)))))');
  assert.equal(markdown('```yaml\na: 1\n```\n\n    b\n\n> c'), '(pre (code a: 1))(pre (code b))(blockquote (p c))');
  assert.equal(markdown('snake_case_name and 2 * 3 * 4'), '(p snake_case_name and 2 * 3 * 4)');
});

test('markup in Markdown stays text', () => {
  assert.equal(markdown('<img src=x onerror=alert(1)>'), '(p <img src=x onerror=alert(1)>)');
  assert.equal(markdown('<script>x</script>'), '(p <script>x</script>)');
});

test('a link that is no address of the web or of the documentation leads nowhere', () => {
  assert.equal(lead('page.md', 'http.md#events'), '/docs/http#events');
  assert.equal(lead('page.md', 'pictures/a.png', true), '/docs/pictures/a.png');
  assert.equal(lead('page.md', '../crates/x.rs'), null);
  assert.equal(lead('page.md', 'https://example.net/'), 'https://example.net/');
  assert.equal(lead('page.md', 'javascript:alert(1)'), null);
  assert.equal(lead('page.md', 'README.md'), '/docs');
  assert.equal(lead('how-to/upgrade.md', '../../CHANGELOG.md'), '/docs/CHANGELOG');
  assert.equal(lead('operations.md', '../packaging/README.md'), '/docs/packaging/README');
  assert.equal(lead('packaging/README.md', '../docs/operations.md#logs'), '/docs/operations#logs');
  assert.equal(lead('packaging/README.md', 'alerts.yaml'), '/docs/packaging/alerts.yaml');
  assert.equal(slug('Who is it?'), 'who-is-it');
  assert.equal(plain('`a` [b](c) **d**'), 'a b d');
});

test('no page of the documentation has a link to a page that is not served', () => {
  const docs = new URL('../../docs/', import.meta.url);
  const pages = readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md'));
  for (const name of pages) {
    for (const [, to] of readFileSync(new URL(name, docs), 'utf8').matchAll(/\]\(([^)\s]+\.md)(?:#[^)]*)?\)/g)) {
      assert.ok(lead(name, to), `${name}: ${to}`);
    }
  }
});

test('what is shown by the page is told from what the node serves', () => {
  for (const path of ['/', '/targets/leaf1.example.net', '/targets/a%2Fb.md', '/transactions/7', '/change', '/login', '/docs', '/docs/how-to/upgrade']) assert.ok(isView(path), path);
  for (const path of ['/docs/page.md', '/docs/pictures/a.png', '/api/v1/me', '/metrics', '/assets/1/main.js', '/targetsy']) assert.ok(!isView(path), path);
  assert.equal(decoded('leaf%2F1'), 'leaf/1');
  assert.equal(decoded('%zz'), null);
});

test('what something in front of the node says is no word of the node', async () => {
  const said = async (status, body) => {
    globalThis.fetch = async () => new Response(body, { status });
    return open('GET', '/me').catch((refusal) => [refusal.code, refusal.isPassing]);
  };
  assert.deepEqual(await said(502, '<html>Bad Gateway</html>'), ['UNAVAILABLE', true]);
  assert.deepEqual(await said(504, ''), ['UNAVAILABLE', true]);
  assert.deepEqual(await said(413, '<html>'), ['UNKNOWN', false]);
  assert.deepEqual(await said(500, '{"error":{"code":"INTERNAL","message":"no"}}'), ['INTERNAL', false]);
});

test('what comes in is filtered as the node filters', () => {
  const one = { index: 5, status: 'applied', comment: 'A VLAN for Guests', submitted: '2026-11-16T08:00:00Z' };
  assert.ok(wants({}, one) && wants({ comment: 'vlan FOR' }, one) && wants({ status: 'applied', before: 6 }, one));
  assert.ok(!wants({ comment: 'staff' }, one) && !wants({ before: 5 }, one) && !wants({ until: '2026-11-15T00:00:00Z' }, one));
});

test('the table of contents says which pages there are, and in which order', () => {
  const pages = ['README', 'b', 'how/a', 'lost'].map((name) => ({ name, title: name.toUpperCase() })).concat({ name: 'g', title: 'gNMI' });
  const found = contents('# All\n\n## Do\n- [an a](how/a.md), [gNMI](g.md)\n\n## Look up\n| [B](b.md) and [others](lost.md) | [none](c.md) |\n', [...pages, { name: 'z', title: 'Z' }]);
  assert.deepEqual(found, [
    { title: 'Do', pages: [{ name: 'how/a', title: 'An a' }, { name: 'g', title: 'gNMI' }] },
    { title: 'Look up', pages: [{ name: 'b', title: 'B' }, { name: 'lost', title: 'LOST' }] },
    { title: 'More', pages: [{ name: 'z', title: 'Z' }] },
  ]);
});

test('events are read however they come in pieces', async () => {
  const text = ': alive\n\nevent: transaction\ndata: {"a":"ä"}\n\nevent: synced\ndata: {}\n\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 7, 1000]) {
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const found = [];
    for await (const event of parse(stream)) found.push(event);
    assert.deepEqual(found, [{ name: 'transaction', data: { a: 'ä' } }, { name: 'synced', data: {} }]);
  }
});

test('the log is latest first, and an entry is there once', () => {
  const list = (...all) => all.map(([index, status]) => ({ index, status }));
  const old = list([5, 'a'], [4, 'a'], [2, 'a']);
  assert.deepEqual(merged(old, list([4, 'b'])), list([5, 'a'], [4, 'b'], [2, 'a']));
  assert.deepEqual(merged(old, list([6, 'b'], [7, 'b'])), list([7, 'b'], [6, 'b'], [5, 'a'], [4, 'a'], [2, 'a']));
  assert.deepEqual(merged(old, list([1, 'b'])), list([5, 'a'], [4, 'a'], [2, 'a'], [1, 'b']));
  assert.deepEqual(merged(old, list([3, 'b'], [5, 'b'])), list([5, 'b'], [4, 'a'], [3, 'b'], [2, 'a']));
  assert.deepEqual(merged([], list([1, 'b'], [3, 'b'])), list([3, 'b'], [1, 'b']));
});

test('a configuration is lines, each of which knows where it is', () => {
  const found = lines({ 'lab:system': { motd: 'hi', 'name-server': ['a', 'b'], empty: [null] }, 'lab:vlans': { vlan: [{ 'other': 1, id: 7 }] } });
  assert.deepEqual(found.map(({ path, value }) => [path, value]), [
    ['/system', undefined], ['/system/motd', 'hi'], ['/system/name-server', 'a, b'], ['/system/empty', ''],
    ['/vlans', undefined], ['/vlans/vlan', undefined], ['/vlans/vlan/id', '7'], ['/vlans/vlan/other', '1'],
  ]);
});

test('lines that are looked for stand below what they are in', () => {
  const all = lines({ a: { b: [{ id: 1, c: 'x' }, { id: 2, c: 'y', d: { e: 'z' } }], f: 'x' } });
  const found = (words) => matching(all, words).map(({ path, value }) => `${path} ${value ?? ''}`.trim());
  assert.deepEqual(found('z'), ['/a', '/a/b', '/a/b/id 2', '/a/b/d', '/a/b/d/e z']);
  assert.deepEqual(found('x'), ['/a', '/a/b', '/a/b/id 1', '/a/b/c x', '/a/f x']);
  assert.deepEqual(found('id 2'), ['/a', '/a/b', '/a/b/id 2']);
  assert.deepEqual(found('nothing'), []);
});

test('what is wrong with a change file is found in it', () => {
  const yaml = 'leaf1:\n  update:\n    /system/motd: a\n    "/vlans/vlan[id=7]/name": b\nleaf2:\n  update:\n    /system/motd: a\n';
  assert.equal(lineOf(yaml, 'leaf1', '/vlans/vlan[id=7]/name'), 4);
  assert.equal(lineOf(yaml, 'leaf2', '/system/motd'), 7);
  assert.equal(lineOf(yaml, 'leaf2', '/elsewhere'), 5);
  const json = '{\n  "leaf1": {\n    "update": {"/system/motd": 1}\n  }\n}';
  assert.equal(lineOf(json, 'leaf1', '/system/motd'), 3);
  assert.equal(told({ code: 'INVALID_ARGUMENT', message: 'the body: line 2 column 11: no' }, yaml), 2);
  assert.equal(told({ code: 'INVALID_ARGUMENT', message: 'target leaf2: /system/motd: too long' }, yaml), 7);
  assert.equal(told({ code: 'UNAVAILABLE', message: 'target leaf2 is not connected' }, yaml), null);
});

test('numbers and times as people read them', () => {
  assert.equal(count(1, 'target'), '1 target');
  assert.equal(count(1200, 'target'), '1,200 targets');
  assert.deepEqual([length(12), length(1500), length(61_000), length(3_720_000)], ['12 ms', '1.5 s', '1 min 01 s', '1 h 02 min']);
  assert.match(clock('2026-11-16T08:00:00Z', new Date('2026-11-20T08:00:00Z')), /^2026-11-1\d \d\d:\d\d:\d\d$/);
});

test('what is on trial is counted by itself', () => {
  const counts = { applied: 1, pending: 5 };
  assert.deepEqual(standings({ counts, stages: { accepted: 2 } }), [['applied', 1], ['accepted', 2], ['pending', 3]]);
  assert.deepEqual(standings({ counts: { pending: 2 }, stages: { accepted: 2 } }), [['accepted', 2]]);
  assert.deepEqual(standings({ counts }), [['applied', 1], ['pending', 5]]);
});

test('a path breaks between its steps, and not within a key', () => {
  assert.deepEqual(steps('/a/b[name=eth1/1]/access-vlan'), ['/a', '/b[name=eth1/1]', '/access-vlan']);
  assert.deepEqual(steps('/a[x=1][y=/]/b[z=2]'), ['/a[x=1][y=/]', '/b[z=2]']);
});

test('a change begins with a path of the lab alone', () => {
  const all = new Map([['leaf1', { model: 'lab-1.0' }], ['edge 1', { model: 'oc-2026' }], ['leaf2', { model: 'label' }]]);
  assert.equal(example('leaf1', all), 'leaf1:\n  update:\n    /system/motd: hello\n');
  assert.equal(example('edge 1', all), '"edge 1":\n  update: {}\n');
  assert.equal(example('leaf2', all), 'leaf2:\n  update: {}\n');
  assert.equal(example('elsewhere', all), 'elsewhere:\n  update: {}\n');
});

test('what is not as it should be comes first, and the rest by name', () => {
  const list = () => ['synchronised', 'paused', 'synchronising', 'drifted', 'failed'].map((state, at) => ({ name: `leaf${at + 1}`, state, applied: at % 2, address: `10.0.0.${10 - at}:1`, master: null }));
  const by = (order) => sorted(list(), order).map(({ name }) => name).join(' ');
  assert.equal(by('state'), 'leaf5 leaf4 leaf2 leaf1 leaf3');
  assert.equal(by('name'), 'leaf1 leaf2 leaf3 leaf4 leaf5');
  assert.equal(by('-name'), 'leaf5 leaf4 leaf3 leaf2 leaf1');
  assert.equal(by('address'), 'leaf5 leaf4 leaf3 leaf2 leaf1');
  assert.equal(by('applied'), 'leaf2 leaf4 leaf1 leaf3 leaf5');
  assert.equal(by('of no column'), by('state'));
});

test('what is under way is not pushed out by what came later', () => {
  const entry = (index) => ({ index });
  const list = [100, 99, 98, 97, 96, 95].map(entry);
  const shown = (open) => recent(open.map(entry), list).map(({ index }) => index);
  assert.deepEqual(shown([]), [100, 99, 98, 97, 96]);
  assert.deepEqual(shown([7, 99]), [100, 99, 98, 97, 96, 7]);
  const many = Array.from({ length: 20 }, (_, at) => 20 - at);
  assert.deepEqual(shown(many), [100, 99, 98, 97, 96, ...many.slice(5)]);
});

// A node that is away, says no, or has many windows: what a real one would not do when it is asked to.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { launch, view } from '../browser.js';
import { Fake } from '../fake.js';
import { until } from '../lab.js';
import { dialog, row } from '../stage.js';

let fake;
let browser;
const opened = [];

before(async () => {
  [fake, browser] = await Promise.all([new Fake({ targets: 20, transactions: 50 }).start(), launch()]);
});

after(async () => {
  await browser?.close();
  fake?.stop();
});

afterEach(async () => {
  fake.otherwise = () => null;
  const thrown = opened.flatMap((page) => page.faults.filter((fault) => fault.startsWith('thrown')));
  await Promise.all(opened.splice(0).map((page) => page.context().close()));
  assert.deepEqual(thrown, []);
});

async function open(path) {
  const page = await view(browser, fake.url);
  opened.push(page);
  await page.goto(path);
  return page;
}

const live = (page) => page.getByText('live', { exact: true }).waitFor();
const refusal = (code, message, more = {}) => ({ error: { code, message }, ...more });
const isApi = (path) => path.startsWith('/api/');
const GATEWAY = [502, '<html>Bad Gateway</html>'];

test('what stands in front of a node that is away does not stop the page', async () => {
  fake.otherwise = (path) => isApi(path) && GATEWAY;
  const page = await open('/');
  await page.getByText('The node does not answer.').waitFor();
  fake.otherwise = () => null;
  await page.getByRole('button', { name: 'Try now' }).click();
  await live(page);
  await row(page, 'leaf1').waitFor();
});

test('a node that goes is gone from the page when its targets have another master', async () => {
  let alive = ['n1', 'n2'];
  fake.otherwise = (path) => path === '/api/v1/nodes' && [200, alive.map((name) => ({ name, session: name, answers: name === 'n1', masterships: {} }))];
  const page = await open('/');
  await live(page);
  const n2 = page.getByLabel('Nodes').getByText('n2');
  await n2.waitFor();
  fake.alter(1, { master: 'n2' });
  alive = ['n1'];
  fake.alter(1, { master: 'n1' });
  // Sooner than it would be asked for anyway.
  await n2.waitFor({ state: 'detached', timeout: 8_000 });
});

test('a watch that is refused says so, and is tried again when asked for', async () => {
  fake.otherwise = (path) => path.endsWith('/watch/targets') && [500, refusal('INTERNAL', 'it broke')];
  const page = await open('/');
  await page.getByText('it broke').waitFor();
  await page.getByText('refused', { exact: true }).waitFor();
  fake.otherwise = () => null;
  await page.getByRole('button', { name: 'Try now' }).click();
  await live(page);
  await page.getByText('it broke').waitFor({ state: 'detached' });
});

test('what one side has is not shown as another that cannot be had', async () => {
  fake.otherwise = (path, _, query) => path.endsWith('/configuration') && (query.get('side') === 'device'
    ? [503, refusal('UNAVAILABLE', 'the device is away')]
    : [200, { values: { '/': { 'lab:system': { motd: 'what is visible' } } } }]);
  const page = await open('/targets/leaf1');
  await page.getByText('what is visible').waitFor();
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'device' }).click();
  await page.getByText('the device is away').waitFor();
  assert.equal(await page.getByText('what is visible').count(), 0);
});

test('what is written into a filter stays, whatever comes in meanwhile; and each field waits for itself', async () => {
  const page = await open('/transactions');
  await row(page, '#50').waitFor();
  for (const [label, text] of [['In the comment', 'NUMBER'], ['author', 'user1']]) {
    await page.getByLabel(label).focus();
    for (const letter of text) {
      await page.keyboard.type(letter);
      const index = fake.append();
      if (label === 'In the comment') await row(page, `#${index}`).waitFor();
    }
  }
  await page.waitForURL((url) => url.searchParams.get('comment') === 'NUMBER' && url.searchParams.get('author') === 'user1');
  assert.equal(await page.getByLabel('In the comment').inputValue(), 'NUMBER');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await until('the fields are empty', async () => (await page.getByLabel('author').inputValue()) === '');
});

test('a comment is found however it is written, also as it comes in', async () => {
  const page = await open('/transactions?comment=NUMBER');
  await row(page, `#${fake.head}`).waitFor();
  const index = fake.append();
  await row(page, `#${index}`).waitFor();
});

test('any number of windows is served, and each can ask', async () => {
  const first = await open('/');
  await live(first);
  const windows = [first];
  for (let more = 0; more < 5; more += 1) {
    const page = await first.context().newPage();
    await page.goto('/');
    await live(page);
    windows.push(page);
  }
  const index = fake.append();
  for (const page of windows) {
    await page.getByRole('link', { name: `#${index}`, exact: true }).first().waitFor();
    assert.equal(await page.evaluate(() => fetch('/api/v1/me').then((answer) => answer.status)), 200);
  }
});

test('what was rejected is another request when it is submitted again', async () => {
  const ids = [];
  fake.otherwise = (path, method, query) => {
    if (path !== '/api/v1/transactions' || method !== 'POST' || query.has('dry_run')) return null;
    ids.push(query.get('id'));
    // The first answer does not come through; the second is that of a transaction.
    return ids.length === 1 ? GATEWAY : [400, refusal('INVALID_ARGUMENT', 'rejected', { transaction: { index: 7 } })];
  };
  const page = await open('/change');
  await page.getByLabel('Change file').fill('leaf1: {update: {/system/motd: x}}');
  for (let count = 1; count <= 3; count += 1) {
    await page.getByRole('button', { name: 'Submit without a dry run' }).click();
    await until('it was sent', () => ids.length === count);
    await page.getByRole('button', { name: 'Submit without a dry run' }).and(page.locator(':enabled')).waitFor();
  }
  assert.equal(ids[0], ids[1], 'what may have arrived is sent as the same');
  assert.notEqual(ids[1], ids[2]);
});

test('what cannot be pressed cannot be done by its keys', async () => {
  let submitted = 0;
  fake.otherwise = (path, method, query) => {
    if (path !== '/api/v1/transactions' || method !== 'POST') return null;
    if (!query.has('dry_run')) submitted += 1;
    return [200, { valid: false, changes: {}, violations: [{ target: 'leaf1', path: '/system/motd', message: 'no' }] }];
  };
  const page = await open('/change');
  await page.getByLabel('Change file').press('Control+Shift+Enter');
  await page.getByLabel('Change file').fill('leaf1: {update: {/system/motd: x}}');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Not valid.').waitFor();
  await page.keyboard.press('Control+Shift+Enter');
  // Asked after the keys, so it is answered after what they would have asked for.
  await page.evaluate(() => fetch('/api/v1/me').then((answer) => answer.text()));
  assert.equal(submitted, 0);
});

test('a restore names the targets it is about, however many there are', async () => {
  const names = Array.from({ length: 15 }, (_, at) => `leaf${at + 1}`);
  const one = { ...fake.transaction(1), status: 'applied', target_count: 15, targets: Object.fromEntries(names.map((name) => [name, { status: 'applied', error: null, waiting_for: null }])) };
  const asked = [];
  fake.otherwise = (path, _, __, body) => {
    if (path.endsWith('/changes')) return [200, {}];
    if (!path.endsWith('/restore')) return null;
    asked.push(JSON.parse(body).targets);
    return [200, { valid: true, changes: { leaf1: [{ path: '/system/motd', before: 'a', after: 'b' }] }, violations: [] }];
  };
  fake.one = one;
  const page = await open('/transactions/1');
  await page.getByRole('button', { name: 'Restore to here…' }).click();
  await until('all are named', () => asked.at(-1)?.length === 15);
  await dialog(page).getByLabel('leaf3', { exact: true }).uncheck();
  await until('one less is', () => asked.at(-1)?.length === 14 && !asked.at(-1).includes('leaf3'));
  const before_ = asked.length;
  await dialog(page).getByRole('button', { name: 'None' }).click();
  assert.ok(await dialog(page).getByRole('button', { name: 'Restore', exact: true }).isDisabled());
  await dialog(page).getByRole('button', { name: 'All' }).click();
  await until('all are named again', () => asked.at(-1).length === 15);
  assert.ok(asked.slice(before_).every((named) => named.length), 'to name none is every target');
});

test('an address that cannot be read is none', async () => {
  const page = await open('/targets/%zz');
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
});

test('a page of the documentation that cannot be had is not said to be missing', async () => {
  fake.otherwise = (path) => path.startsWith('/docs/') && path.includes('.') && GATEWAY;
  const page = await open('/docs/page');
  await page.getByText('Not reachable').waitFor();
  fake.otherwise = (path) => (path.endsWith('.json') ? [200, []] : path.endsWith('.md') && [200, '# Here it is\n']);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('heading', { name: 'Here it is' }).waitFor();
});

test('a target whose name looks like a file is a target', async () => {
  const page = await open('/');
  await row(page, 'leaf1').waitFor();
  await page.evaluate(() => {
    window.isTheSame = true;
    const link = Object.assign(document.createElement('a'), { href: '/targets/leaf1.example.net', textContent: 'go' });
    document.querySelector('main').append(link);
    link.click();
  });
  await page.getByText('There is no target leaf1.example.net').waitFor();
  assert.ok(await page.evaluate(() => window.isTheSame), 'the page was not loaded anew');
});

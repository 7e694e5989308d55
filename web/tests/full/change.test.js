// A change: written, tried, submitted; and what is wrong with it, where it is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dialog, row, stage } from '../stage.js';

const here = stage();
const editor = (page) => page.getByLabel('Change file');
const tryIt = (page) => page.getByRole('button', { name: 'Dry run', exact: true }).click();
const marked = (page) => page.locator('.gutter li').evaluateAll((all) => all.flatMap((one, at) => (one.classList.contains('marked') ? [at + 1] : [])));

test('a dry run shows what would change, and submitting does it, live', async () => {
  const watcher = await here.open('/transactions');
  const page = await here.open('/change');
  await editor(page).fill('leaf1:\n  update:\n    /system/motd: from the page\nleaf2: {update: {"/vlans/vlan[id=7]/name": seven}}\n');
  await page.getByLabel('Comment').fill('with a dry run');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Valid.').waitFor();
  await page.locator('.of-target', { hasText: 'leaf1' }).getByText('from the page').waitFor();
  assert.equal((await here.lab.api('GET', '/transactions')).transactions.length, 0, 'nothing happened');
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await page.waitForURL('**/transactions/1');
  await page.getByText('Outcome: applied').waitFor();
  await row(watcher, '#1').getByText('with a dry run').waitFor();
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  assert.equal(await editor(page).inputValue(), '', 'the draft is done with');
});

test('JSON will do', async () => {
  const page = await here.open('/change');
  await editor(page).fill('{"leaf3": {"update": {"/system/motd": "json"}}}');
  await page.getByText('Read as JSON').waitFor();
  await tryIt(page);
  await page.getByText('Valid.').waitFor();
});

test('what is not valid is said at its path, and in its line', async () => {
  const page = await here.open('/change');
  page.allowed.push(/400/);
  await editor(page).fill('leaf1:\n  update:\n    /system/motd: fine\n    /interfaces/interface[name=eth1]/access-vlan: 99\n');
  await tryIt(page);
  await page.getByText('Not valid.').waitFor();
  await page.locator('.diff .note', { hasText: 'Invalid leafref' }).waitFor();
  assert.deepEqual(await marked(page), [4]);
  assert.ok(await page.getByRole('button', { name: 'Submit', exact: true }).isDisabled());
  // A value of the wrong type is refused before it is tried.
  await editor(page).fill('leaf1:\n  update:\n    /system/motd: fine\n    /interfaces/interface[name=eth1]/mtu: 10\n');
  await tryIt(page);
  await page.getByText(/out of the allowed range/).waitFor();
  assert.deepEqual(await marked(page), [4]);
  // And what cannot be read at all.
  await editor(page).fill('leaf1:\n  update: [1\n');
  await tryIt(page);
  await page.getByText('Line 2 of the file.').waitFor();
  assert.deepEqual(await marked(page), [2]);
  assert.equal(await page.locator('.gutter li').count(), 3, 'no line is numbered that there is not');
  assert.equal(await page.evaluate(() => getSelection().toString() || document.querySelector('textarea').value.slice(document.querySelector('textarea').selectionStart, document.querySelector('textarea').selectionEnd)), '  update: [1');
});

test('a change that is submitted and refused is led to', async () => {
  await here.lab.device('refuse', 'leaf2', '/system/motd', '--code', 'ABORTED', '--message', 'not today');
  const page = await here.open('/change');
  page.allowed.push(/409/);
  await editor(page).fill('leaf1: {update: {/system/motd: x}}\nleaf2: {update: {/system/motd: x}}\n');
  await page.getByRole('button', { name: 'Submit without a dry run' }).click();
  await page.waitForURL(/transactions\/\d+$/);
  await page.getByText('target leaf2 refused it: ABORTED: not today').waitFor();
  await here.lab.device('heal', 'leaf2');
});

test('the options are passed on: queued, a window, a comment', async () => {
  const page = await here.open('/change?target=leaf3');
  await page.getByLabel('Comment').fill('for a while');
  await page.getByLabel('Queued: each target when it can').check();
  // A window is for what is everywhere or nowhere, and a queued change has no deadline once it is decided.
  assert.ok(await page.getByLabel('Revert unless confirmed within').isDisabled());
  await page.getByLabel('Reject if not decided within').waitFor();
  await page.getByRole('button', { name: 'Submit without a dry run' }).click();
  await page.waitForURL(/transactions\/\d+$/);
  await page.getByText('change, queued').waitFor();
  await page.goto('/change?target=leaf1');
  assert.ok(await page.getByLabel('Give up after').isEnabled());
  await page.getByLabel('Revert unless confirmed within').fill('5');
  await page.getByRole('button', { name: 'Submit without a dry run' }).click();
  await page.getByText(/Reverted in/).waitFor();
  await page.getByRole('button', { name: 'Confirm…' }).click();
  await dialog(page).getByRole('button', { name: 'Confirm it', exact: true }).click();
  await page.getByText(/Reverted in/).waitFor({ state: 'detached' });
});

test('a draft survives a look elsewhere', async () => {
  const page = await here.open('/change');
  await page.getByLabel('Target to add').fill('leaf2');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Network' }).click();
  await row(page, 'leaf1').waitFor();
  await page.goBack();
  assert.match(await editor(page).inputValue(), /^leaf2:\n {2}update:/);
  await page.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await editor(page).inputValue(), '');
});

// One target: its sides, where they differ, how it stood, and what can be done with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dialog, motd, stage } from '../stage.js';

const here = stage();
const lines = (page) => page.locator('.tree code').allTextContents();

test('each side is shown, and a change appears by itself', async () => {
  await here.lab.change({ leaf1: { update: { '/system/motd': 'one', '/vlans/vlan[id=7]/name': 'seven' } } });
  const page = await here.open('/targets/leaf1');
  await page.getByText('motd: one').waitFor();
  for (const side of ['committed', 'applied', 'device']) {
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: side }).click();
    await page.waitForURL(`**/targets/leaf1?side=${side}`);
    await page.getByText('motd: one').waitFor();
  }
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'visible' }).click();
  await here.lab.change({ leaf1: motd('two') });
  await page.getByText('motd: two').waitFor();
  await page.getByLabel('Filter by path or value').fill('seven');
  await page.getByText('motd: two').waitFor({ state: 'detached' });
  assert.deepEqual((await lines(page)).map((line) => line.trim()), ['lab:vlans:', 'vlan:', '- name: seven']);
});

test('drift is shown, and the difference between any two sides', async () => {
  await here.lab.change({ leaf2: motd('ours') });
  await here.lab.device('drift', 'leaf2', '/system/motd', '"theirs"');
  const page = await here.open('/targets/leaf2');
  await page.getByText("The device was changed behind Lockstep's back.").waitFor();
  await page.getByRole('row', { name: '/system/motd ours theirs' }).waitFor();
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'applied' }).click();
  await page.getByRole('button', { name: 'Compare' }).click();
  const changed = page.locator('.diff li');
  await changed.waitFor();
  assert.match(await changed.textContent(), /ours.*theirs/s);
  await page.getByRole('group', { name: 'against' }).getByRole('button', { name: 'committed' }).click();
  await page.getByText('They are the same.').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('motd: ours').waitFor();
  assert.equal(await page.getByRole('group', { name: 'against' }).count(), 0);
});

test('how it stood after any transaction, and what changed since', async () => {
  const first = await here.lab.change({ leaf3: motd('then') });
  await here.lab.change({ leaf3: motd('between') });
  await here.lab.change({ leaf3: motd('now') });
  const page = await here.open('/targets/leaf3');
  await page.getByText('motd: now').waitFor();
  const moment = page.locator('.moment', { has: page.getByRole('link', { name: `#${first.index}`, exact: true }) });
  await moment.getByRole('button', { name: 'as of' }).click();
  await page.getByText('motd: then').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('group', { name: 'against' }).getByRole('button', { name: 'visible' }).click();
  await page.locator('.diff li', { hasText: 'then' }).getByText('now').waitFor();
  // The address has all of it.
  await page.reload();
  await page.locator('.diff li', { hasText: 'then' }).getByText('now').waitFor();
});

test('how it stood after a transaction of others', async () => {
  await here.lab.change({ leaf3: motd('before it') });
  const { index } = await here.lab.change({ leaf1: motd('of another') });
  await here.lab.change({ leaf3: motd('after it') });
  const page = await here.open('/targets/leaf3');
  await page.getByText('motd: after it').waitFor();
  const field = page.getByLabel('as of #');
  await field.fill('soon');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill(`#${index}`);
  await field.press('Enter');
  await page.getByText('motd: before it').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('index'), String(index));
  assert.equal(await field.inputValue(), String(index));
  await field.fill('');
  await field.press('Enter');
  await page.getByText('motd: after it').waitFor();
});

test('sync, pause, resume and adopt are asked for, and done', async () => {
  const page = await here.open('/targets/spine1');
  await here.lab.change({ spine1: motd('ours') });
  await here.lab.device('drift', 'spine1', '/system/motd', '"theirs"');
  const act = async (name) => {
    await page.getByRole('button', { name: `${name}…` }).click();
    await dialog(page).getByRole('button', { name, exact: true }).click();
    await dialog(page).waitFor({ state: 'detached' });
  };
  const is = (state) => page.locator('h1 .badge', { hasText: state }).waitFor();
  await is('drifted');
  await act('Sync');
  await is('synchronised');
  await act('Pause');
  await is('paused');
  await page.getByText('an operator paused it').waitFor();
  await act('Resume');
  await is('synchronised');
  await here.lab.device('drift', 'spine1', '/system/motd', '"theirs"');
  await is('drifted');
  await act('Adopt');
  await is('synchronised');
  await page.getByText('motd: theirs').waitFor();
  await page.locator('.moment').first().getByText('adopt').waitFor();
});

test('a dialog is left without doing anything', async () => {
  const page = await here.open('/targets/leaf1');
  await page.getByRole('button', { name: 'Pause…' }).click();
  await dialog(page).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  assert.equal((await here.lab.api('GET', '/targets/leaf1')).state, 'synchronised');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Pause…');
});

// The network at a glance: every target as it stands, filtered, live; and what happens when the node goes away.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../lab.js';
import { row, stage } from '../stage.js';

const here = stage({ each: { leaf1: { tags: ['pod1'] }, leaf2: { tags: ['pod2'] }, leaf3: { tags: ['pod2'] } } });

const names = (page) => page.locator('.targets .lead').allTextContents();

test('targets are filtered by name, tag and state, and the filter is in the address', async () => {
  const page = await here.open('/');
  await row(page, 'spine1').waitFor();
  await page.getByLabel('Filter by name, address or reason').fill('leaf');
  await row(page, 'spine1').waitFor({ state: 'detached' });
  assert.deepEqual(await names(page), ['leaf1', 'leaf2', 'leaf3']);
  await page.getByLabel('Tag').selectOption('pod2');
  await row(page, 'leaf1').waitFor({ state: 'detached' });
  assert.match(page.url(), /q=leaf/);
  assert.match(page.url(), /tag=pod2/);
  await page.reload();
  await row(page, 'leaf2').waitFor();
  assert.deepEqual(await names(page), ['leaf2', 'leaf3']);
  await page.getByRole('group', { name: 'Targets by state' }).getByRole('button', { name: /failed/ }).click();
  await page.getByText('No target is like that').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).first().click();
  await row(page, 'spine1').waitFor();
});

test('a device that drifts, and one that is paused, are seen at once', async () => {
  const page = await here.open('/');
  await row(page, 'leaf1').locator('.badge', { hasText: 'synchronised' }).waitFor();
  await here.lab.change({ leaf1: { update: { '/system/motd': 'ours' } } });
  await here.lab.device('drift', 'leaf1', '/system/motd', '"theirs"');
  await row(page, 'leaf1').locator('.badge', { hasText: 'drifted' }).waitFor();
  await row(page, 'leaf1').getByText('/system/motd is `theirs`').waitFor();
  await here.lab.api('POST', '/targets/leaf2/pause');
  await row(page, 'leaf2').locator('.badge', { hasText: 'paused' }).waitFor();
  await page.getByRole('button', { name: /1\s*drifted/ }).click();
  assert.deepEqual(await names(page), ['leaf1']);
  await here.lab.api('POST', '/targets/leaf1/sync');
  await here.lab.api('POST', '/targets/leaf2/resume');
  await here.lab.settled();
});

test('what is not as it should be comes first, unless another order is asked for', async () => {
  const page = await here.open('/');
  await row(page, 'spine1').waitFor();
  assert.deepEqual(await names(page), ['leaf1', 'leaf2', 'leaf3', 'spine1']);
  await here.lab.api('POST', '/targets/leaf3/pause');
  await page.waitForFunction(() => document.querySelector('.targets .lead').textContent === 'leaf3');
  const by = (name) => page.getByRole('group', { name: 'Sort by' }).getByRole('button', { name });
  await by('Name').click();
  assert.match(page.url(), /sort=name/);
  assert.deepEqual(await names(page), ['leaf1', 'leaf2', 'leaf3', 'spine1']);
  await by('Name').click();
  await page.waitForFunction(() => document.querySelector('.targets .lead').textContent === 'spine1');
  await by('State').click();
  await page.waitForFunction(() => document.querySelector('.targets .lead').textContent === 'leaf3');
  await here.lab.api('POST', '/targets/leaf3/resume');
  await here.lab.settled();
});

test('each target is a link, and "back" leads back to the filter', async () => {
  const page = await here.open('/?q=leaf3');
  await page.getByRole('link', { name: 'leaf3', exact: true }).click();
  await page.getByRole('heading', { name: /leaf3/ }).waitFor();
  await page.goBack();
  await row(page, 'leaf3').waitFor();
  assert.deepEqual(await names(page), ['leaf3']);
});

test('nodes are listed, with how many targets each is the master of', async () => {
  const page = await here.open('/');
  const node = page.getByRole('list', { name: 'Nodes' }).getByRole('listitem');
  await node.getByText('this node').waitFor();
  await node.getByText(/^4 targets, log to #\d+$/).waitFor();
});

test('a node that goes away is seen to be, and the page goes on when it is back', async () => {
  const page = await here.open('/');
  page.allowed.push(/503|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
  await page.getByText('live', { exact: true }).waitFor();
  await here.lab.stopNode();
  await page.getByText('The node does not answer.').waitFor();
  await page.getByText('lost', { exact: true }).waitFor();
  assert.equal(await row(page, 'leaf1').count(), 1, 'what was known is still shown');
  here.lab.startNode();
  await until('the page is live again', async () => {
    const again = page.getByRole('button', { name: 'Try now' });
    if (await again.isVisible()) await again.click({ timeout: 1000 }).catch(() => {});
    return page.getByText('live', { exact: true }).isVisible();
  });
  await here.lab.settled();
  const done = await here.lab.change({ leaf3: { update: { '/system/motd': 'again' } } });
  await page.getByRole('link', { name: `#${done.index}`, exact: true }).first().waitFor();
});

test('an address that is none is said to be', async () => {
  const page = await here.open('/transactions/7/8').catch(() => null);
  assert.ok(page);
  page.allowed.push(/404/);
  const known = await here.open('/targets/nobody');
  await known.getByText('There is no target nobody').waitFor();
  const late = await here.open('/transactions/999999');
  late.allowed.push(/404/);
  await late.getByText('Not found').waitFor();
});

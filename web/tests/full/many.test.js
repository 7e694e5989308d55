// A thousand targets and a long log: what is drawn is what is on the screen, and what is asked for is what is looked at.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../lab.js';
import { motd, row, stage } from '../stage.js';

const COUNT = 1000;
/** So long the log is made longer, with so many at once. */
const WRITING = Number(process.env.LOG_SECONDS ?? 30) * 1000;
const AT_ONCE = 24;

const names = Array.from({ length: COUNT }, (_, at) => `leaf${at + 1}`);
const each = Object.fromEntries(names.map((name, at) => [name, { tags: [`pod${at % 10}`] }]));
const here = stage({ names, each });

const drawn = (page) => page.locator('.row').count();

/** How often elements were put into the page or taken out, while something was done. */
async function touched(page, work) {
  await page.evaluate(() => {
    window.touched = 0;
    window.observer = new MutationObserver((all) => { window.touched += all.length; });
    window.observer.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await work();
  return page.evaluate(() => {
    window.observer.disconnect();
    return window.touched;
  });
}

test('a thousand targets: all counted, few drawn, one change touches little', async () => {
  const page = await here.open('/');
  await page.getByRole('button', { name: /1,000\s*synchronised/ }).waitFor();
  assert.ok(await drawn(page) < 80, `${await drawn(page)} rows are drawn`);
  const paused = row(page, 'leaf3').locator('.badge', { hasText: 'paused' });
  const count = await touched(page, async () => {
    await here.lab.api('POST', '/targets/leaf3/pause');
    await paused.waitFor();
  });
  assert.ok(count < 60, `${count} changes of the page for one target`);
  await here.lab.api('POST', '/targets/leaf3/resume');
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await row(page, 'leaf1000').waitFor();
  assert.ok(await drawn(page) < 80);
  await page.getByLabel('Filter by name, address or reason').fill('leaf77');
  await row(page, 'leaf770').waitFor();
  await page.getByText('11 of 1,000').waitFor();
});

test('a change of every target spreads, and each of them can be looked at', async () => {
  await here.lab.settled();
  const page = await here.open('/transactions');
  const change = Object.fromEntries(names.map((name) => [name, motd('everywhere')]));
  const { index } = await here.lab.change(change, '?async&queued&comment=everywhere');
  const line = row(page, `#${index}`);
  await line.getByText('everywhere').waitFor();
  await line.locator('.badge', { hasText: 'applied' }).waitFor();
  await line.locator('.numbers', { hasText: '1,000' }).waitFor();
  await line.getByRole('link', { name: `#${index}`, exact: true }).click();
  await page.getByRole('heading', { name: '1,000 targets' }).waitFor();
  assert.ok(await drawn(page) < 80);
  await page.getByLabel('Filter by name').fill('leaf999');
  await page.getByRole('button', { name: /^leaf999/ }).click();
  await page.locator('.diff li', { hasText: 'everywhere' }).waitFor();
  await page.goBack();
});

test('a long log is scrolled to its beginning, page by page, and stays live meanwhile', async () => {
  const deadline = Date.now() + WRITING;
  let written = 0;
  const write = async () => {
    while (Date.now() < deadline) {
      written += 1;
      await here.lab.change({ [names[written % COUNT]]: motd(`number ${written}`) }, '?queued&async');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  const { head } = await here.lab.api('GET', '/summary');
  console.log(`the log has ${head} transactions`);
  assert.ok(head > 300);
  let asked = 0;
  const page = await here.open('/transactions');
  page.on('request', (request) => {
    if (/transactions\/\d+$/.test(request.url())) asked += 1;
  });
  await row(page, `#${head}`).waitFor();
  assert.ok(await drawn(page) < 60);
  await until('the first transaction is there', async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    return row(page, '#1').isVisible();
  });
  assert.ok(await drawn(page) < 60, `${await drawn(page)} rows are drawn`);
  await page.getByText('That is all that the log has.').waitFor();
  assert.ok(asked < head / 2, `${asked} of ${head} were asked for one by one`);
  const { index } = await here.lab.change({ leaf1: motd('the latest') }, '?comment=the%20latest');
  await page.evaluate(() => scrollTo(0, 0));
  await row(page, `#${index}`).getByText('the latest').waitFor();
  // A filter that leaves little finds it at once, wherever it is.
  await page.getByLabel('In the comment').fill('everywhere');
  await row(page, `#${index}`).waitFor({ state: 'detached' });
  await page.locator('.log .what', { hasText: 'everywhere' }).waitFor();
});

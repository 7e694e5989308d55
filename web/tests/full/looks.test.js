// Every view in both themes, wide and narrow: nothing is cut off at the side, and every word can be read. With SHOTS=DIR,
// there is a picture of each.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { launch, view } from '../browser.js';
import { scene, signIn, views } from '../scene.js';

const SHOTS = process.env.SHOTS;
let story;
let browser;

before(async () => {
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
  [story, browser] = await Promise.all([scene(), launch()]);
});

after(async () => {
  await browser?.close();
  await story?.lab.stop();
});

/** Words that are too faint: each with its contrast, which has to be 4.5, or 3 if they are large (WCAG, AA). */
function faint() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const over = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  const words = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('.unseen, .skip, :disabled, .is-busy, svg, noscript, option')) continue;
    const behind = [];
    for (let one = element; one; one = one.parentElement) behind.unshift(getComputedStyle(one).backgroundColor);
    const style = getComputedStyle(element);
    const [one, other] = [light(over(['#fff', ...behind])), light(over(['#fff', ...behind, style.color]))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (contrast < (large ? 3 : 4.5)) found.add(`${contrast.toFixed(2)} ${element.className || element.tagName}: ${node.data.trim().slice(0, 30)}`);
  }
  return [...found];
}

for (const theme of ['light', 'dark']) {
  for (const width of theme === 'light' ? [1280, 800, 400] : [1280, 400]) {
    test(`${theme}, ${width} wide`, async () => {
      for (const [name, path, ready, act] of views(story)) {
        const page = await view(browser, story.lab.url, { viewport: { width, height: 820 }, colorScheme: theme, reducedMotion: 'reduce' });
        await signIn(page);
        await page.goto(path);
        await page.locator(ready).first().waitFor();
        await act?.(page);
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${theme}-${width}.png` });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name}: ${wide} pixels are beside the window`);
        assert.deepEqual(await page.evaluate(faint), [], name);
        assert.deepEqual(page.faults, [], name);
        await page.context().close();
      }
    });
  }
}

test('what could not be read would be found', async () => {
  const page = await view(browser, story.lab.url);
  await page.goto('/docs/http');
  await page.locator('article h1').waitFor();
  await page.evaluate(() => { document.querySelector('article h1').style.color = 'rgb(200 200 200)'; });
  assert.match((await page.evaluate(faint)).join(), /^1\.\d\d H1: HTTP/);
});

test('the switch goes before the system, and is remembered', async () => {
  const page = await view(browser, story.lab.url, { colorScheme: 'light' });
  await signIn(page);
  await page.goto('/');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await page.getByRole('button', { name: 'Theme: light; change it' }).waitFor();
  assert.equal(await ground(), light);
  await button.click();
  await page.getByRole('button', { name: 'Theme: dark; change it' }).waitFor();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await ground(), dark);
  await page.keyboard.press('d');
  await page.getByRole('button', { name: 'Theme: system; change it' }).waitFor();
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(), dark);
});

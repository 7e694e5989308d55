// Takes the pictures of docs/page.md anew: node web/tests/pictures.js
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { launch, view } from './browser.js';
import { ROOT } from './lab.js';
import { scene, signIn, views } from './scene.js';

const PICTURES = [
  ['network', 'light'],
  ['transactions', 'dark'],
  ['reverted', 'light'],
  ['window', 'light'],
  ['rollback', 'light'],
  ['target', 'light'],
  ['change', 'light'],
];

const folder = join(ROOT, 'docs/pictures');
mkdirSync(folder, { recursive: true });
const [story, browser] = await Promise.all([scene(2), launch()]);
try {
  for (const [name, theme] of PICTURES) {
    const [, path, ready, act] = views(story).find(([known]) => known === name);
    const page = await view(browser, story.lab.url, { viewport: { width: 1200, height: 720 }, colorScheme: theme, timezoneId: 'UTC', reducedMotion: 'reduce' });
    await signIn(page);
    await page.goto(path);
    await page.locator(ready).first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await act?.(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`docs/pictures/${name}.png`);
  }
} finally {
  await browser.close();
  await story.lab.stop();
}

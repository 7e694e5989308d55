// A network in which something happens: for tests that look at everything, and for the pictures of the documentation.
import { Lab, hashed, until } from './lab.js';

export const PASSWORD = 'correct-horse-battery';
const NAMES = [...Array.from({ length: 4 }, (_, at) => `spine${at + 1}`), ...Array.from({ length: 32 }, (_, at) => `leaf${at + 1}`)];

export const credential = (name) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;

const tags = (name) => [name.replace(/\d+/, ''), `pod${1 + Math.floor((Number(/\d+/.exec(name)[0]) - 1) / 8)}`];

/** Starts it, on so many nodes more than one. */
export async function scene(beside = 0) {
  const hash = hashed(PASSWORD);
  const lab = await Lab.start({
    names: NAMES,
    each: Object.fromEntries(NAMES.map((name) => [name, { tags: tags(name) }])),
    extra: { users: { alice: hash, bob: hash, 'ci-pipeline': hash } },
    headers: { authorization: credential('alice') },
    beside,
  });
  const by = async (name, change, query) => {
    lab.headers = { authorization: credential(name) };
    return lab.change(change, `?${new URLSearchParams(query)}`);
  };
  const on = (names, operations) => Object.fromEntries(names.map((name) => [name, operations(name)]));
  const motd = (text) => () => ({ update: { '/system/motd': text } });
  const story = { lab };
  await by('ci-pipeline', on(NAMES, (name) => ({ update: { '/system/hostname': name, '/system/motd': 'managed by Lockstep' } })), { comment: 'names and banners' });
  for (let id = 110; id < 122; id += 1) {
    const pair = [`leaf${(id % 16) * 2 + 1}`, `leaf${(id % 16) * 2 + 2}`];
    await by(id % 3 ? 'ci-pipeline' : 'bob', on(pair, () => ({
      update: { [`/vlans/vlan[id=${id}]/name`]: `tenant-${id}`, [`/interfaces/interface[name=eth${id % 4}]/description`]: `tenant ${id}`, [`/interfaces/interface[name=eth${id % 4}]/access-vlan`]: id },
    })), { comment: `VLAN ${id} for a new tenant` });
  }
  await lab.device('refuse', 'leaf3', '/system/motd', '--code', 'ABORTED', '--message', 'banner store is full');
  story.reverted = await by('bob', on(['leaf1', 'leaf2', 'leaf3', 'leaf4', 'spine1'], motd('Maintenance on Sunday')), { comment: 'announce the maintenance' });
  story.rejected = await by('bob', on(['leaf1', 'leaf2'], (name) => ({ update: { '/interfaces/interface[name=eth1]/access-vlan': 999, '/system/motd': `hello from ${name}` } })), { comment: 'a port in a VLAN that is not there' });
  story.partial = await by('bob', on(['leaf1', 'leaf2', 'leaf3', 'leaf4', 'spine1'], motd('Maintenance on Sunday')), { comment: 'announce it where it works', queued: '' });
  await lab.device('heal', 'leaf3');
  await lab.api('POST', '/targets/leaf7/pause');
  await lab.device('drift', 'leaf9', '/system/motd', '"console was here"');
  await lab.device('drift', 'leaf12', '/system/hostname', '"impostor"');
  await until('both are seen to have drifted', async () => (await lab.api('GET', '/targets')).filter(({ state }) => state === 'drifted').length === 2);
  story.waiting = await by('alice', on(['leaf6', 'leaf7', 'leaf8'], motd('hello')), { comment: 'a banner, when leaf7 is back', queued: '', async: '' });
  story.window = await by('alice', on(['spine1', 'spine2'], () => ({ update: { '/interfaces/interface[name=eth1]/mtu': 9000, '/interfaces/interface[name=eth1]/description': 'uplink' } })), { comment: 'jumbo frames on the uplinks', confirm: '3600' });
  lab.headers = { authorization: credential('alice') };
  return story;
}

/** A page that has signed in already. */
export async function signIn(page, name = 'alice') {
  await page.addInitScript((shown) => sessionStorage.setItem('lockstep.credential', shown), credential(name));
}

export const CHANGE = 'leaf1:\n  update:\n    /system/motd: Welcome\n    /interfaces/interface[name=eth1]/access-vlan: 77\nleaf2:\n  update:\n    /system/motd: Welcome\n  delete:\n    - /interfaces/interface[name=eth3]\n';

/** Every view, with what is there once it is drawn and what is done then. */
export const views = (story) => [
  ['network', '/', '.targets .row'],
  ['transactions', '/transactions', '.log .cell', async (page) => {
    await page.waitForFunction(() => [...document.querySelectorAll('.log .row')].every((one) => one.querySelector('.cell')));
  }],
  ['reverted', `/transactions/${story.reverted.index}`, '.diff li'],
  ['rejected', `/transactions/${story.rejected.index}`, '.of-target'],
  ['window', `/transactions/${story.window.index}`, '.diff li'],
  ['waiting', `/transactions/${story.waiting.index}`, '.diff li'],
  ['many', '/transactions/1', '.diff li'],
  ['target', '/targets/leaf9', '.tree code'],
  ['difference', '/targets/leaf9?side=applied&to_side=device', '.diff li'],
  ['change', '/change', 'textarea', async (page) => {
    await page.getByLabel('Change file').fill(CHANGE);
    await page.getByLabel('Comment').fill('a friendlier banner');
    await page.getByRole('button', { name: 'Dry run', exact: true }).click();
    await page.locator('.diff li').first().waitFor();
  }],
  ['rollback', `/transactions/${story.reverted.index - 1}`, '.diff li', async (page) => {
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await page.locator('dialog .diff li').first().waitFor();
  }],
  ['restore', '/transactions/1', '.diff li', async (page) => {
    await page.getByRole('button', { name: 'Restore to here…' }).click();
    await page.locator('dialog .diff li').first().waitFor();
  }],
  ['keys', '/', '.targets .row', async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  }],
  ['docs', '/docs/http', 'article h1'],
];

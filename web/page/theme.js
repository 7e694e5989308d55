// Dark, light, or as the system has it.
import { Store } from './store.js';

export const THEMES = ['system', 'light', 'dark'];

export const theme = new Store(document.documentElement.dataset.theme ?? 'system');

export function choose(chosen) {
  theme.set(chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (chosen === 'system') localStorage.removeItem('lockstep.theme');
    else localStorage.setItem('lockstep.theme', chosen);
  } catch {
    // It lasts for as long as the page does.
  }
}

export const next = () => choose(THEMES[(THEMES.indexOf(theme.get()) + 1) % THEMES.length]);

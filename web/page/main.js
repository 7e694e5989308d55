// Where the page begins.
import { html, render } from './lib.js';
import { App } from './app.js';
import { start } from './router.js';

start();
render(html`<${App} />`, document.getElementById('page'));

'use strict';
// Headless Chromium that reaches nothing but this machine.
const path = require('path');
const { chromium } = require(path.join(process.env.ANAMNESIS_CI_CACHE, 'tools/node_modules/playwright-core'));
exports.launch = async (profile, options = {}) => {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, viewport: { width: 1280, height: 760 },
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'],
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options });
  await context.route((url) => !['127.0.0.1', 'localhost'].includes(url.hostname) && !/^(data|blob|vscode)/.test(url.protocol),
    (route) => route.abort());
  const page = context.pages()[0] || (await context.newPage());
  page.on('pageerror', (error) => console.log('pageerror', String(error).slice(0, 200)));
  return { context, page };
};

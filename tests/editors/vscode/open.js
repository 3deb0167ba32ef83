'use strict';
// Opens a page in headless Chromium until $ANAMNESIS_RESULTS says it is done: the extension host does the rest.
const fs = require('fs');
const { launch } = require('./browser.js');
(async () => {
  const { context, page } = await launch(process.argv[3]);
  await page.goto(process.argv[2], { waitUntil: 'domcontentloaded' });
  const end = Date.now() + 280000;
  const done = () => fs.existsSync(process.env.ANAMNESIS_RESULTS) && fs.readFileSync(process.env.ANAMNESIS_RESULTS, 'utf8').includes('"name":"done"');
  while (!done() && Date.now() < end) await page.waitForTimeout(200);
  await context.close();
})().catch((error) => { console.error(error); process.exit(1); });

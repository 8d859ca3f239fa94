// The scripts of pages that --emit-html wrote, run by node without a browser: page.js PAGES...
// Blocks that the page computes are the compiler's (bytes of every buffer and variable); blocks
// that no window cuts cover a tensor once; every step stands in the graph once; what is alive at
// the peak is what the compiler says; each reason leads back to a statement.
'use strict';
const fs = require('fs'), vm = require('vm');
let failures = 0;
function check(ok, ...what) {
  if (ok) return;
  console.log('FAIL', ...what);
  failures++;
}

const checks = fs.readFileSync(__dirname + '/checks.js', 'utf8');

for (const file of process.argv.slice(2)) {
  const page = fs.readFileSync(file, 'utf8'), open = '<script type="application/json" id="data">';
  const begin = page.indexOf(open) + open.length, end = page.indexOf('</script>', begin);
  const code = page.slice(page.indexOf('<script>', end) + 8, page.lastIndexOf('</script>'));
  const world = {
    document: {getElementById: () => ({textContent: page.slice(begin, end)})},
    check,
    steps: 0
  };
  check(/\nstart\(\);\n$/.test(code), file, 'does not start');
  try {
    vm.runInNewContext(code.replace(/\nstart\(\);\n$/, '\n') + checks, world, {filename: file});
    check(world.steps > 0, file, 'has no steps');
  } catch (error) {
    check(false, file, error.stack);
  }
}
process.exit(failures ? 1 : 0);

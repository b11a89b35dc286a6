/* Acts on a flame graph as its user would, and leaves what came of it in the document: tests/e2e/flamegraph.sh. */
(function () {
'use strict';
var svg = document.querySelector('svg.flame');
var input = svg.querySelector('.search input');
var out = [];

function text(name) { return svg.querySelector('.' + name).textContent; }
function frame(name) {
  return Array.prototype.find.call(svg.querySelectorAll('.frames > g'), function (g) {
    return g.querySelector('title').textContent.indexOf(name + ' (') === 0;
  });
}
function send(target, type, keys) {
  var event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, keys);
  target.dispatchEvent(event);
  return event.defaultPrevented;
}
function shown(name) { return frame(name).style.display !== 'none'; }
function part_of_width(name) {
  var all = svg.viewBox.baseVal.width - 20;
  return (frame(name).querySelector('rect').width.baseVal.value / all).toFixed(3);
}
function label(name) {
  var element = frame(name).querySelector('text');
  return element ? element.textContent : '';
}
function find(words) {
  input.value = words;
  send(input, 'input');
}
function marked() { return svg.querySelectorAll('.frames > g.match').length; }
function say(what, value) { out.push(what + ': ' + value); }

say('frames', svg.querySelectorAll('.frames > g').length);
say('search box', getComputedStyle(svg.querySelector('.search')).visibility);
say('reset at first', getComputedStyle(svg.querySelector('.reset')).visibility);
say('width of core::a', part_of_width('core::a'));

send(frame('core::a').querySelector('rect'), 'mouseover');
say('hover', text('details'));
send(svg.querySelector('.back'), 'mouseover');
say('hover outside', '[' + text('details') + ']');

send(frame('core::a').querySelector('rect'), 'click');
say('zoomed', [part_of_width('core::a'), part_of_width('malloc'), part_of_width('main')]);
say('shown', [shown('main'), shown('core::a'), shown('malloc'), shown('llvm::B::run(int)')]);
say('dimmed', [frame('main').classList.contains('up'), frame('malloc').classList.contains('up')]);
say('reset', getComputedStyle(svg.querySelector('.reset')).visibility);
say('label of narrow', label('narrow::function'));
send(frame('malloc').querySelector('rect'), 'mouseover');
say('hover zoomed', text('details'));
find('MALLOC');
say('MALLOC', marked() + ' ' + text('matched'));
find('malloc');
say('malloc', marked() + ' ' + text('matched'));
send(svg.querySelector('.reset'), 'click');
say('reset by click', [part_of_width('core::a'), shown('llvm::B::run(int)'), text('matched')]);

find('^core|malloc');
say('^core|malloc', marked() + ' ' + text('matched'));
find('run(');
say('run(', marked() + ' ' + text('matched'));
find('');
say('nothing', marked() + ' [' + text('matched') + ']');

find('main');
send(frame('llvm::B::run(int)').querySelector('rect'), 'click');
send(document.documentElement, 'keydown', { key: 'Escape' });
say('escape', [marked(), '[' + input.value + ']', shown('core::a'), part_of_width('main')]);

/* By keys alone: Tab reaches one frame, and what has the focus is drawn and named. */
function focused() {
  var g = document.activeElement;
  return (g.getAttribute('aria-label') || g.textContent) + ' [' + g.getAttribute('role') + ']';
}
function press(key) { send(document.activeElement, 'keydown', { key: key }); }
function reached() {
  return Array.prototype.map.call(svg.querySelectorAll('[tabindex="0"]'), function (one) {
    return getComputedStyle(one).visibility === 'visible' ? one.getAttribute('class') + ' ' : '';
  }).join('').trim();
}
input.blur();
say('tab reaches', svg.querySelectorAll('.frames [tabindex="0"]').length + ' ' + reached());
svg.querySelector('.frames [tabindex="0"]').focus();
/* Without a window the browser sends no event of its own. */
send(document.activeElement, 'focusin');
say('focus', focused() + ', ' + text('details'));
press('ArrowUp');
say('up', focused());
press('ArrowUp');
say('up', focused());
press('ArrowRight');
say('right', focused());
press('ArrowRight');
say('right again', focused());
press('ArrowLeft');
say('left', focused());
press('ArrowUp');
say('up', focused());
press('ArrowDown');
say('down', focused());
press('Enter');
say('enter', [part_of_width('core::a'), shown('llvm::B::run(int)')]);
say('still', focused() + ', ' + svg.querySelectorAll('.frames [tabindex="0"]').length);
say('tab reaches', reached());
svg.querySelector('.reset').focus();
press('Enter');
say('reset by key', [part_of_width('core::a'), shown('llvm::B::run(int)')] + ' ' + focused());
press(' ');
press('Escape');
say('arrow with alt taken', send(document.activeElement, 'keydown', { key: 'ArrowUp', altKey: true }));
input.blur();
say('ctrl-f taken', send(document.documentElement, 'keydown', { key: 'f', ctrlKey: true }));
say('ctrl-f focus', document.activeElement === input);
document.documentElement.setAttribute('data-results', out.join('\n'));
})();

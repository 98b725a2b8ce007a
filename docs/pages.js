// What mdBook's own scripts lack: colours for code in RON and Luau, and tables and code that do not fit on
// a small screen.
(() => {
    'use strict';

    hljs.registerLanguage('ron', h => ({
        name: 'RON',
        contains: [
            h.C_LINE_COMMENT_MODE,
            h.C_BLOCK_COMMENT_MODE,
            h.QUOTE_STRING_MODE,
            { className: 'string', begin: /r(#*)"/, end: /"#*/ },
            { className: 'meta', begin: /#!\[/, end: /\]/ },
            { className: 'attr', begin: /\b[a-z_]\w*(?=\s*:)/ },
            { className: 'literal', begin: /\b(true|false|None|inf|NaN)\b/ },
            { className: 'title', begin: /\b[A-Z]\w*/ },
            { className: 'number', begin: /[-+]?\b\d[\d_]*(\.\d+)?([eE][-+]?\d+)?/ },
        ],
    }));
    // Luau, the language of scripts, is a dialect of Lua.
    hljs.registerLanguage('luau', hljs.getLanguage('lua').rawDefinition);
    for (const block of document.querySelectorAll('pre > code.language-ron, pre > code.language-luau')) {
        hljs.highlightBlock(block);
    }

    // Output of commands wraps, unless it has columns. Short pieces of code within a sentence stay on one line.
    for (const block of document.querySelectorAll('main pre > code.language-text')) {
        block.classList.toggle('wraps', !/\S {3}|[│└─]/.test(block.textContent));
    }
    for (const code of document.querySelectorAll('main :not(pre) > code')) {
        code.classList.toggle('short', code.textContent.length < 30);
    }

    // A table that is wider than the screen shows each row as a list of its cells, with the headings of their columns.
    const tables = [...document.querySelectorAll('main table')];
    for (const table of tables) {
        const headings = [...table.querySelectorAll('thead th')].map(cell => cell.textContent.trim());
        for (const row of table.querySelectorAll('tbody tr')) {
            [...row.cells].forEach((cell, column) => cell.dataset.heading = headings[column] ?? '');
        }
    }
    const has_thin_texts = table => [...table.querySelectorAll('tbody td')]
        .some(cell => cell.textContent.length > 60 && cell.clientWidth < 150);
    // Code that is wider than the page has a shadow at its end until it is scrolled there.
    const blocks = [...document.querySelectorAll('main pre > code')];
    const shade = block => block.parentElement.classList
        .toggle('goes-on', block.scrollLeft + block.clientWidth < block.scrollWidth - 1);
    const fit = () => {
        const is_narrow = document.documentElement.clientWidth <= 700;
        for (const table of tables) {
            table.classList.remove('stacked', 'wraps');
            const is_wide = () => table.scrollWidth > table.clientWidth + 1;
            table.classList.toggle('wraps', is_wide());
            table.classList.toggle('stacked', is_narrow && (is_wide() || has_thin_texts(table)));
        }
        blocks.forEach(shade);
    };
    blocks.forEach(block => block.addEventListener('scroll', () => shade(block), { passive: true }));
    fit();
    document.fonts?.ready.then(fit);
    addEventListener('resize', fit);
})();

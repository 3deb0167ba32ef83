" Vim 9 with ALE: anamnesis-lsp beside any other linter of the filetype. Source this from your vimrc, after ALE.
let g:anamnesis_command = get(g:, 'anamnesis_command', ['anamnesis-lsp', 'serve'])
let g:anamnesis_settings = get(g:, 'anamnesis_settings', {})
let g:anamnesis_filetypes = get(g:, 'anamnesis_filetypes',
\   ['python', 'javascript', 'typescript', 'go', 'rust', 'c', 'cpp', 'java', 'ruby', 'php', 'lua', 'sh', 'vim', 'markdown'])

function! s:Root(buffer) abort
    let l:git = finddir('.git', fnamemodify(bufname(a:buffer), ':p:h') . ';')
    let l:git = empty(l:git) ? findfile('.git', fnamemodify(bufname(a:buffer), ':p:h') . ';') : l:git
    return empty(l:git) ? '' : fnamemodify(l:git, ':p:h' . (isdirectory(l:git) ? ':h' : ''))
endfunction

for s:filetype in g:anamnesis_filetypes
    call ale#linter#Define(s:filetype, {
    \   'name': 'anamnesis',
    \   'lsp': 'stdio',
    \   'executable': g:anamnesis_command[0],
    \   'command': join(map(copy(g:anamnesis_command), 'ale#Escape(v:val)')),
    \   'project_root': function('s:Root'),
    \   'initialization_options': {'virtualDocuments': v:true, 'anamnesis': g:anamnesis_settings},
    \})
endfor

function! s:Ask(name, params, Then) abort
    call ale#lsp_linter#SendRequest(bufnr(s:code), 'anamnesis', [0, 'anamnesis/' . a:name, a:params],
    \   {answer -> s:Answer(answer, a:Then)})
endfunction

function! s:Answer(answer, Then) abort
    if has_key(a:answer, 'error')
        let l:data = get(a:answer.error, 'data', {})
        redraw
        echohl WarningMsg
        echomsg get(l:data, 'message', a:answer.error.message) . ' ' . get(l:data, 'remedy', '')
        echohl None
    else
        call a:Then(a:answer.result)
    endif
endfunction

" The buffer whose server is asked, the recall that is meant
let s:code = ''
let s:recall = v:null

function! s:Here() abort
    if empty(&buftype) && !empty(expand('%'))
        let s:code = expand('%:p')
    endif
    if empty(s:code)
        throw 'Open a file of a repository first.'
    endif
endfunction

function! s:Recollect(range, first, last, cue) abort
    call s:Here()
    let l:params = {'show': v:false}
    if !empty(a:cue)
        let l:params.cue = a:cue
    endif
    if a:range > 0 || empty(a:cue)
        let l:params.uri = ale#path#ToFileURI(s:code)
        let l:params.range = {'start': {'line': a:first - 1, 'character': 0}, 'end': {'line': a:last, 'character': 0}}
    endif
    call s:Ask('recollect', l:params, function('s:Present'))
endfunction

function! s:Present(round) abort
    let l:reached = get(a:round, 'reached', v:null)
    let l:round = type(l:reached) == v:t_dict && type(l:reached.round) == v:t_dict ? l:reached.round : a:round
    let s:recall = l:round.recall
    call s:Show('anamnesis:///recall/' . l:round.recall . '.md', l:round.markdown, 1)
endfunction

function! s:Say(name, text) abort
    let l:params = {'recall': s:recall, 'show': v:false}
    if !empty(a:text)
        let l:params.text = a:text
    endif
    call s:Ask(a:name, l:params, function('s:Present'))
endfunction

function! s:Open(locator) abort
    let l:locator = empty(a:locator) ? s:Locator() : a:locator
    if empty(l:locator)
        echo 'No citation under the cursor.'
        return
    endif
    call s:Ask('open', {'locator': l:locator}, {target ->
    \   s:Ask('content', {'uri': target.uri}, {content ->
    \       s:Show(target.uri, content.text, has_key(target, 'range') ? target.range.start.line + 1 : 1)})})
endfunction

" The locator of the link under the cursor: [[n]], [text], or a locator as it stands
function! s:Locator() abort
    let l:whole = matchstr(expand('<cWORD>'), 'anamnesis:///[^ <>()]\+')
    if !empty(l:whole)
        return l:whole
    endif
    let l:key = ''
    let l:from = 0
    while 1
        let [l:name, l:start, l:end] = matchstrpos(getline('.'), '\[\{1,2}[^][]\+\]\{1,2}', l:from)
        if l:start < 0
            return ''
        endif
        if l:start < col('.') && col('.') <= l:end
            let l:key = substitute(l:name, '[][]', '', 'g')
            break
        endif
        let l:from = l:end
    endwhile
    for l:line in getline(1, '$')
        let l:found = matchlist(l:line, '^\[\([^]]\+\)\]: \(anamnesis:///\S\+\)')
        if !empty(l:found) && l:found[1] ==# l:key
            return l:found[2]
        endif
    endfor
    return ''
endfunction

" A read-only buffer beside the code. Nothing of the text is obeyed: no modeline.
function! s:Show(uri, text, line) abort
    let l:name = substitute(a:uri, '?.*', '', '')
    let l:window = filter(range(1, winnr('$')), {_, w -> bufname(winbufnr(w)) =~# '^anamnesis:'})
    execute empty(l:window) ? 'rightbelow new' : l:window[0] . 'wincmd w'
    if bufname('%') !=# l:name
        let l:known = bufnr(l:name)
        if l:known > 0 && bufname(l:known) ==# l:name
            execute 'hide buffer' l:known
        else
            hide enew
            silent! execute 'file' fnameescape(l:name)
        endif
        setlocal nomodeline buftype=nofile noswapfile bufhidden=hide undolevels=-1
    endif
    setlocal modifiable nomodeline
    silent keepjumps %delete _
    keepjumps call setline(1, split(a:text, "\n", 1))
    setlocal nomodifiable wrap linebreak
    let &l:filetype = a:uri =~# '^anamnesis:///diff/' ? 'diff' : a:uri =~# '^anamnesis:///file/' ? '' : 'markdown'
    if a:uri =~# '^anamnesis:///file/'
        execute 'doautocmd <nomodeline> filetypedetect BufRead' fnameescape(l:name)
    endif
    keepjumps call cursor(a:line, 1)
    for l:key in ['gd', 'gx', '<CR>']
        execute 'nnoremap <buffer> <nowait>' l:key ':RecollectOpen<CR>'
    endfor
    nnoremap <buffer> <nowait> q :close<CR>
endfunction

function! s:Copy(form) abort
    call s:Ask('copyContext', {'recall': s:recall, 'as': empty(a:form) ? 'markdown' : a:form},
    \   {result -> setreg('"', result.text)})
endfunction

command! -range -nargs=* Recollect call s:Recollect(<range>, <line1>, <line2>, <q-args>)
command! -nargs=+ RecollectSay call s:Say('say', <q-args>)
command! RecollectIdentify call s:Say('identify', '')
command! RecollectEnd call s:Say('end', '')
command! -nargs=? RecollectOpen call s:Open(<q-args>)
command! -nargs=? RecollectCopy call s:Copy(<q-args>)

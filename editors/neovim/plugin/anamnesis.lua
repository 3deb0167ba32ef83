-- Commands and the reading of anamnesis: documents. Everything else is loaded on first use.
if vim.g.loaded_anamnesis then
  return
end
vim.g.loaded_anamnesis = 1

if vim.fn.has('nvim-0.11') == 0 then
  vim.api.nvim_create_user_command('Recollect', function()
    vim.notify('anamnesis needs Neovim 0.11 or newer.', vim.log.levels.ERROR)
  end, { nargs = '*', range = true })
  return
end

local group = vim.api.nvim_create_augroup('anamnesis', {})

-- The text must be there before a jump sets the cursor, so this reads synchronously.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'anamnesis:///*',
  nested = true,
  callback = function(event)
    require('anamnesis.document').read(event.buf, event.match)
  end,
})

if vim.g.anamnesis_autostart ~= false then
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = group,
    once = true,
    callback = vim.schedule_wrap(function()
      if vim.v.vim_did_enter == 1 then -- before, enabling would pass over the files that are open already
        vim.lsp.enable('anamnesis')
      else
        vim.api.nvim_create_autocmd('VimEnter', {
          group = group,
          once = true,
          callback = vim.schedule_wrap(function()
            vim.lsp.enable('anamnesis')
          end),
        })
      end
    end),
  })
end

local function command(name, options, run)
  vim.api.nvim_create_user_command(name, function(arguments)
    run(require('anamnesis'), arguments)
  end, options)
end

command('Recollect', { nargs = '*', range = true, desc = 'Why is this code here? [cue]' }, function(anamnesis, a)
  anamnesis.recollect({
    lines = a.range > 0 and { a.line1, a.line2 } or nil,
    cue = a.args ~= '' and a.args or nil,
  })
end)
command('RecollectSay', { nargs = '*', desc = 'Answer the recall: correct it, add to it, look elsewhere' }, function(anamnesis, a)
  anamnesis.say(a.args ~= '' and a.args or nil)
end)
command('RecollectIdentify', { desc = "That's it" }, function(anamnesis)
  anamnesis.identify()
end)
command('RecollectEnd', { desc = 'End the recall' }, function(anamnesis)
  anamnesis.finish()
end)
command('RecollectCancel', { desc = 'Stop the search that is running' }, function(anamnesis)
  anamnesis.cancel()
end)
command('RecollectOpen', { nargs = '?', desc = 'Open a locator, or the citation under the cursor' }, function(anamnesis, a)
  if a.args ~= '' then
    anamnesis.open(a.args)
  else
    anamnesis.open_or_choose()
  end
end)
command('RecollectDiff', { nargs = '?', desc = 'The change of a cited commit, side by side' }, function(anamnesis, a)
  anamnesis.diff(a.args ~= '' and a.args or nil)
end)
command('RecollectResume', { desc = 'Resume a cited conversation in a terminal' }, function(anamnesis)
  anamnesis.resume()
end)
command('RecollectCopy', {
  nargs = '?',
  complete = function()
    return { 'markdown', 'commit', 'comment' }
  end,
  desc = 'Copy the recalled context',
}, function(anamnesis, a)
  anamnesis.copy(a.args ~= '' and a.args or nil)
end)
command('RecollectPlain', { desc = 'The story as plain text' }, function(anamnesis)
  anamnesis.plain()
end)
command('Recalls', { desc = 'Recalls: open, held, closed' }, function(anamnesis)
  anamnesis.recalls()
end)
command('RecollectStores', { desc = 'What is searched here' }, function(anamnesis)
  anamnesis.stores()
end)

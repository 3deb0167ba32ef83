;;; drive.el --- the person's path in Emacs  -*- lexical-binding: t; -*-
;; emacs -q --batch -l drive.el: one JSON line per check into $ANAMNESIS_RESULTS
(package-initialize)
(require 'cl-lib)
(require 'json)
(require 'eglot)
(load (expand-file-name "editors/emacs/anamnesis.el" (getenv "ANAMNESIS_ROOT")) nil t)
(setq anamnesis-command (list (getenv "ANAMNESIS_PYTHON") "-m" "anamnesis_lsp" "serve")
      make-backup-files nil auto-save-default nil
      eglot-sync-connect t eglot-connect-timeout 30 eglot-autoreconnect nil eglot-confirm-server-initiated-edits nil)
(when (boundp 'eglot-events-buffer-config) (setq eglot-events-buffer-config '(:size 0)))

(defun report (name ok detail)
  (let ((coding-system-for-write 'utf-8))
    (write-region (concat (json-encode `((name . ,name) (ok . ,(if ok t :json-false)) (detail . ,(format "%s" detail)))) "\n")
                  nil (getenv "ANAMNESIS_RESULTS") t 'silent)))
(defmacro check (name &rest body)
  (declare (indent 1))
  `(condition-case problem (report ,name t (progn ,@body))
     (error (report ,name nil (error-message-string problem)))))
(defun eventually (what test)
  (let ((end (+ (float-time) 60)) value)
    (while (not (setq value (funcall test)))
      (when (> (float-time) end) (error "never: %s" what))
      (accept-process-output nil 0.05))
    value))
(defun has (text)
  (or (string-match-p (regexp-quote text) (buffer-string)) (error "no %S in %s" text (buffer-substring 1 (min 800 (point-max))))))
(defun press-citation (target)
  "Press the first button that leads to TARGET."
  (goto-char (point-min))
  (let (button)
    (while (and (setq button (next-button (point)))
                (not (string-match-p target (button-get button 'anamnesis-target))))
      (goto-char (button-end button)))
    (unless button (error "no button to %s" target))
    (push-button (button-start button))
    (look)))
(defun look ()
  "Make the buffer that is looked at the current one."
  (set-buffer (window-buffer (selected-window))))

(defvar told (json-parse-string (getenv "ANAMNESIS_EXAMPLE_TOLD") :object-type 'plist :array-type 'list))
(defun told (name) (plist-get told name))
(defvar code (find-file-noselect (expand-file-name (told :file) (getenv "ANAMNESIS_EXAMPLE"))))
(defvar story nil)
(defun select-retry ()
  (goto-char (point-min)) (forward-line (1- (told :first)))
  (set-mark (point)) (forward-line (- (told :last) (told :first) -1)) (setq mark-active t transient-mark-mode t))

(switch-to-buffer code)
(check "recollect on a selection, beside any other server"
  (select-retry)
  (anamnesis-recollect)
  (setq story (current-buffer))
  (mapc #'has (told :story))
  (unless buffer-read-only (error "writable"))
  (unless (derived-mode-p 'anamnesis-document-mode) (error "mode %s" major-mode))
  (buffer-name))
(check "a citation leads to the commit, and on to the file at the revision"
  (set-buffer story)
  (press-citation (concat "commit/[0-9a-f]+/" (told :commit)))
  (has (told :commit_says))
  (press-citation (concat "anamnesis:///file/[0-9a-f]+/" (told :commit)))
  (has (told :added))
  (unless (eq major-mode (buffer-local-value 'major-mode code)) (error "mode %s" major-mode))
  anamnesis--uri)
(check "a citation leads to the conversation at its turn"
  (set-buffer story)
  (press-citation "anamnesis:///conversation/claude-code/")
  (unless (string-match-p "←" (buffer-substring (line-beginning-position) (line-end-position)))
    (error "at %s" (buffer-substring (line-beginning-position) (line-end-position))))
  (has (told :session)))
(check "the citation of a sentence leads to the turn that it quotes"
  (let (turns)
    (dolist (sentence (append (plist-get (with-current-buffer story (anamnesis--round)) :story) nil))
      (let ((locator (aref (vconcat (plist-get sentence :locators)) 0)) (text (substring (plist-get sentence :text) 0 20)))
        (when (and (string-match "/conversation/.*[?&]turn=\\([0-9]+\\)" locator) (not (string-match-p "[`*_]" text)))
          (let ((turn (match-string 1 locator)))
            (set-buffer story)
            (goto-char (point-min)) (search-forward (concat "\n" text)) (search-forward "[[")
            (push-button (1- (point)))
            (look)
            (let ((line (buffer-substring (line-beginning-position) (line-end-position))))
              (unless (string-match-p (format "\\`## %s · .*←" turn) line) (error "turn %s: at %s" turn line)))
            (push turn turns)))))
    (or turns (error "no sentence of a conversation"))))
(check "copy of the context"
  (with-current-buffer story (anamnesis-copy "commit"))
  (unless (string-prefix-p "Recalled:" (current-kill 0)) (error "%s" (current-kill 0)))
  (current-kill 0))
(check "correction"
  (with-current-buffer story
    (let ((before (buffer-string)))
      (anamnesis-say (told :correction))
      (eventually "another story" (lambda () (not (equal before (buffer-string)))))
      (mapc #'has (told :corrected)))))
(check "what stands beside a long story is folded, the story and its records are not"
  (look)
  (let* ((folds (append (jsonrpc-request (anamnesis--server) :textDocument/foldingRange (list :textDocument (list :uri anamnesis--uri))) nil))
         (beside (mapcar (lambda (fold) (plist-get fold :startLine)) (cl-remove-if-not (lambda (fold) (equal (plist-get fold :kind) "region")) folds)))
         heads)
    (unless (> (count-screen-lines) (window-body-height)) (error "the story is not longer than %d lines" (window-body-height)))
    (goto-char (point-min))
    (while (re-search-forward "^## .*" nil t)
      (let ((folded (and (memq (1- (line-number-at-pos)) beside) t)))
        (push (list (match-string 0) folded) heads)
        (unless (eq folded (and (outline-invisible-p (line-end-position)) t)) (error "%S" (car heads)))))
    (unless (and (assoc "## Near it" heads) (cadr (assoc "## Near it" heads))) (error "%S" heads))
    (when (or (cadr (assoc "## Story" heads)) (cadr (assoc "## Records" heads))) (error "%S" heads))
    (goto-char (point-min)) (search-forward "## Near it")
    (outline-toggle-children)
    (when (outline-invisible-p (line-end-position)) (error "it does not unfold"))
    (format "%S" heads)))
(check "the story as plain text"
  (anamnesis-plain)
  (with-current-buffer "*Recollect: plain text*"
    (has "RECORDS")
    (when (string-match-p "^## \\|\\[\\[[0-9]" (buffer-string)) (error "%s" (buffer-string)))))
(check "a cue alone"
  (with-current-buffer code (anamnesis-recollect-cue (told :cue)))
  (look)
  (has (told :cue_told)))
(check "identification"
  (anamnesis-identify)
  (has "# Recalled"))
(check "a locator that names nothing is one clear message"
  (condition-case problem (progn (anamnesis-open "anamnesis:///commit/000000000000/x.md") (error "opened"))
    (user-error (error-message-string problem))))
(check "an untracked file is one clear message"
  (let ((stray (expand-file-name "stray.py" (getenv "ANAMNESIS_EXAMPLE"))))
    (write-region "x = 1\n" nil stray nil 'silent)
    (unwind-protect
        (with-current-buffer (find-file-noselect stray)
          (condition-case problem (progn (anamnesis-recollect) (error "told"))
            (user-error (unless (string-match-p "not tracked" (error-message-string problem)) (error "%s" problem))
                        (error-message-string problem))))
      (delete-file stray))))
(anamnesis-shutdown)

;; eglot
(defvar server nil)
(setq eglot-server-programs nil)
(anamnesis-eglot-setup)
(check "eglot attaches"
  (with-current-buffer code
    (unless (derived-mode-p 'prog-mode) (prog-mode))  ; an Emacs without a mode for this language
    (let ((project (project-current)))
      (eglot--connect (list major-mode) project 'anamnesis-eglot-server anamnesis-command
                      (if (< emacs-major-version 29) "code" '("code"))))
    (eventually "managed" (lambda () (or eglot--managed-mode (progn (eglot--maybe-activate-editing-mode) nil))))
    (setq server (eglot-current-server))
    (format "Emacs %s" emacs-version)))
(check "hover"
  (with-current-buffer code
    (goto-char (point-min)) (search-forward (told :line_code))
    (eventually "a hover with the reason"
                (lambda ()
                  (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
                    (and (string-match-p (regexp-quote (told :hover)) (format "%s" hover)) (format "%s" hover)))))))
(check "code action opens the story"
  (mapc (lambda (buffer) (when (buffer-local-value 'anamnesis--uri buffer) (kill-buffer buffer))) (buffer-list))
  (with-current-buffer code
    (switch-to-buffer code)
    (goto-char (point-min)) (search-forward (told :line_code))
    (let* ((actions (eglot-code-actions (point) (point) nil nil)) (action (aref (vconcat actions) 0)))
      (unless (string-prefix-p "Recollect" (plist-get action :title)) (error "%s" action))
      (if (fboundp 'eglot-execute) (eglot-execute server action)
        (eglot-execute-command server "anamnesis.recollect" (plist-get (plist-get action :command) :arguments)))))
  (let ((buffer (eventually "a story" (lambda () (cl-find-if (lambda (b) (string-match-p "/recall/" (or (buffer-local-value 'anamnesis--uri b) ""))) (buffer-list))))))
    (with-current-buffer buffer (has "## Story") (buffer-name))))
(check "the commands use eglot's server"
  (with-current-buffer code (unless (eq (anamnesis--server) server) (error "another"))))
(ignore-errors (eglot-shutdown server))
(report "done" t "")
(kill-emacs 0)

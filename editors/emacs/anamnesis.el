;;; anamnesis.el --- Why is this code here?  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (jsonrpc "1.0.14") (project "0.6"))
;; Keywords: vc, tools
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Select lines, M-x anamnesis-recollect, and read why they are there: a few sentences from git history, decision
;; records and conversations with AI assistants, each with a citation that RET follows to its record.
;;
;; The commands have a connection of their own to the program anamnesis-lsp, one for each project, so that they work
;; beside any other language server.  Where eglot already runs anamnesis-lsp in the buffer (see
;; `anamnesis-eglot-setup', which brings hover and the code action), they use that one.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'button)
(require 'outline)

(defgroup anamnesis nil "Why is this code here?" :group 'tools :prefix "anamnesis-")

(defcustom anamnesis-command '("anamnesis-lsp" "serve")
  "The server's program and its arguments."
  :type '(repeat string))

(defcustom anamnesis-settings nil
  "Settings of the server as a plist, for example (:hover \"full\" :stores (:cursor :json-false)).
editors/PROTOCOL.md lists them."
  :type 'plist)

(defcustom anamnesis-timeout 120
  "Seconds to wait for a recall.  \\[keyboard-quit] ends the wait and cancels it."
  :type 'number)

;;; The server

(defvar anamnesis--connections (make-hash-table :test #'equal) "Project roots to our own connections.")
(defvar anamnesis--rounds (make-hash-table :test #'equal) "Recalls to their last rounds.")
(defvar anamnesis--latest nil "The recall of the last round.")
(defvar anamnesis--last-connection nil "The connection that was asked last.")
(defvar anamnesis--last-place nil "The place asked about last: kept while stepping through records.")
(defvar-local anamnesis--uri nil "What this buffer shows.")
(defvar-local anamnesis--text nil "What the server gave: the links at its end are not shown.")
(defvar-local anamnesis--connection nil "The connection that this buffer's text came from.")

(defun anamnesis--initialization-options ()
  (append '(:virtualDocuments t) (and anamnesis-settings (list :anamnesis anamnesis-settings))))

(defun anamnesis--root ()
  (let ((project (project-current)))
    (expand-file-name
     (cond ((null project) (or (locate-dominating-file default-directory ".git") default-directory))
           ((fboundp 'project-root) (project-root project))
           (t (car (with-no-warnings (project-roots project))))))))

(defun anamnesis--uri-of (path)
  (concat "file://" (url-hexify-string (file-truename path) url-path-allowed-chars)))

(declare-function eglot-current-server "eglot")
(declare-function eglot--capabilities "eglot")

(defun anamnesis--eglot ()
  "Eglot's server of this buffer, where it is ours."
  (when-let* ((server (and (fboundp 'eglot-current-server) (eglot-current-server)))
              (commands (plist-get (plist-get (eglot--capabilities server) :executeCommandProvider) :commands)))
    (and (cl-find "anamnesis.recollect" commands :test #'equal) server)))

(defun anamnesis--start (root)
  (unless (executable-find (car anamnesis-command))
    (user-error "%s is not installed: `pipx install .' in a clone of it, or set `anamnesis-command'" (car anamnesis-command)))
  (let* ((default-directory root)
         (connection
          (make-instance
           'jsonrpc-process-connection
           :name "anamnesis"
           :process (lambda ()
                      (make-process :name "anamnesis" :command anamnesis-command :connection-type 'pipe :coding 'utf-8-emacs-unix
                                    :noquery t :stderr (get-buffer-create " *anamnesis stderr*")))
           :notification-dispatcher #'anamnesis--notified
           :request-dispatcher #'anamnesis--asked)))
    (jsonrpc-request connection :initialize
                     (list :processId (emacs-pid) :rootUri (anamnesis--uri-of root)
                           :capabilities '(:workspace (:configuration t) :window (:showDocument (:support :json-false)))
                           :clientInfo (list :name "anamnesis.el" :version emacs-version)
                           :initializationOptions (anamnesis--initialization-options))
                     :timeout 30)
    (jsonrpc-notify connection :initialized (make-hash-table))
    (puthash root connection anamnesis--connections)))

(defun anamnesis--asked (_connection method params)
  (pcase method
    ('workspace/configuration
     (vconcat (mapcar (lambda (_) anamnesis-settings) (plist-get params :items))))
    (_ nil)))

(defun anamnesis--notified (_connection method params)
  (when (eq method 'anamnesis/roundPresented)
    (anamnesis--keep params)))

(defun anamnesis--server ()
  "The connection to ask from this buffer."
  (let ((connection
         (or (and anamnesis--connection (jsonrpc-running-p anamnesis--connection) anamnesis--connection)
             (anamnesis--eglot)
             (let ((mine (gethash (anamnesis--root) anamnesis--connections)))
               (and mine (jsonrpc-running-p mine) mine))
             (anamnesis--start (anamnesis--root)))))
    (setq anamnesis--last-connection connection)))

(defun anamnesis--request (connection name params)
  "Send anamnesis/NAME with PARAMS and return the result.  An error of the server is told as one message."
  (condition-case problem
      (jsonrpc-request connection (intern (concat ":anamnesis/" name)) params
                       :timeout anamnesis-timeout :cancel-on-input nil)
    (jsonrpc-error
     (let ((data (alist-get 'jsonrpc-error-data (cddr problem)))
           (message (alist-get 'jsonrpc-error-message (cddr problem))))
       (user-error "%s" (if data (format "%s %s" (plist-get data :message) (plist-get data :remedy))
                          (or message (error-message-string problem))))))))

(defun anamnesis-shutdown ()
  "End our own connections."
  (interactive)
  (maphash (lambda (_ connection)
             (ignore-errors (jsonrpc-request connection :shutdown nil :timeout 3) (jsonrpc-notify connection :exit nil))
             (ignore-errors (jsonrpc-shutdown connection)))
           anamnesis--connections)
  (clrhash anamnesis--connections))

;;; Rounds

(defun anamnesis--keep (round)
  (setq anamnesis--latest (plist-get round :recall))
  (puthash anamnesis--latest round anamnesis--rounds)
  (dolist (kind '("recall" "scope"))
    (let ((buffer (anamnesis--buffer-of (format "anamnesis:///%s/%s.md" kind anamnesis--latest))))
      (when (and buffer (buffer-local-value 'anamnesis--connection buffer))
        (anamnesis--fetch (buffer-local-value 'anamnesis--connection buffer) (buffer-local-value 'anamnesis--uri buffer)
                          (lambda (text) (when (buffer-live-p buffer) (anamnesis--renew buffer text))))))))

(defun anamnesis--fetch (connection uri then &optional again)
  "Ask for the text of URI and call THEN with it later.
What is called by the server may not wait for the server.  Before Emacs 30 an
answer that came together with another can lie unread, so it asks AGAIN."
  (jsonrpc-async-request connection :anamnesis/content (list :uri uri) :timeout 2
                         :success-fn (lambda (result) (funcall then (plist-get result :text)))
                         :error-fn #'ignore
                         :timeout-fn (lambda ()
                                       (when (and (jsonrpc-running-p connection) (< (or again 0) 5))
                                         (anamnesis--fetch connection uri then (1+ (or again 0)))))))

(defun anamnesis--renew (buffer text)
  (with-current-buffer buffer
    (unless (equal text anamnesis--text) ; its folds stay
      (let ((here (point)))
        (anamnesis--fill anamnesis--connection anamnesis--uri text nil)
        (goto-char (min here (point-max)))))))

(defun anamnesis--recall ()
  "The recall that is meant: the one whose story this is, else the latest."
  (or (and anamnesis--uri (string-match "\\`anamnesis:///\\(?:recall\\|scope\\)/\\([^/]+\\)\\.md\\'" anamnesis--uri)
           (match-string 1 anamnesis--uri))
      anamnesis--latest))

(defun anamnesis--round ()
  (or (gethash (anamnesis--recall) anamnesis--rounds)
      (user-error "No recall yet: select lines and use M-x anamnesis-recollect")))

(defun anamnesis--present (connection round)
  "Hold ROUND and show its story; that of the recall it reached, where the turn was about another past."
  (let ((reached (plist-get (plist-get round :reached) :round)))
    (anamnesis--keep round)
    (when reached
      (anamnesis--keep reached)
      (setq round reached)))
  (anamnesis--show connection (format "anamnesis:///recall/%s.md" (plist-get round :recall)))
  round)

(defmacro anamnesis--with-buffer-known (connection &rest body)
  "Run BODY while the server knows the text of this buffer, saved or not."
  (declare (indent 1))
  `(let ((open (and buffer-file-name (not (anamnesis--eglot)) (anamnesis--uri-of buffer-file-name))))
     (when open
       (jsonrpc-notify ,connection :textDocument/didOpen
                       (list :textDocument (list :uri open :languageId "plaintext" :version 0
                                                 :text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))))
     (unwind-protect (progn ,@body)
       (when open
         (jsonrpc-notify ,connection :textDocument/didClose (list :textDocument (list :uri open)))))))

(defun anamnesis--place ()
  "The selected lines, else the line of point."
  (let* ((beginning (if (use-region-p) (region-beginning) (point)))
         (end (if (use-region-p) (region-end) (point)))
         (last (line-number-at-pos end t)))
    (when (and (> end beginning) (save-excursion (goto-char end) (bolp)))
      (cl-decf last))
    (list :uri (anamnesis--uri-of buffer-file-name)
          :range (list :start (list :line (1- (line-number-at-pos beginning t)) :character 0)
                       :end (list :line last :character 0)))))

;;;###autoload
(defun anamnesis-recollect (&optional cue)
  "Tell why the selected lines, or the line of point, are there.
With a prefix argument, ask for a CUE: what is half remembered.  In a story, ask about the same place again."
  (interactive (list (and current-prefix-arg (read-string "What do you half remember? "))))
  (unless (or buffer-file-name anamnesis--last-place)
    (user-error "Use this in a file"))
  (let ((connection (anamnesis--server))
        (place (if (and buffer-file-name (not anamnesis--uri)) (setq anamnesis--last-place (anamnesis--place)) anamnesis--last-place)))
    (anamnesis--with-buffer-known connection
      (anamnesis--present connection
                          (anamnesis--request connection "recollect"
                                              (append place '(:show :json-false) (and cue (list :cue cue))))))))

;;;###autoload
(defun anamnesis-recollect-cue (cue)
  "Recall by a few words alone."
  (interactive "sWhat do you half remember? ")
  (let ((connection (anamnesis--server)))
    (anamnesis--present connection (anamnesis--request connection "recollect" (list :cue cue :show :json-false)))))

(defun anamnesis--answer (name &optional text)
  (let ((connection (anamnesis--server)))
    (anamnesis--present connection
                        (anamnesis--request connection name
                                            (append (list :recall (anamnesis--recall) :show :json-false)
                                                    (and text (list :text text)))))))

(defun anamnesis-say (text)
  "Answer the story in your own words: no, earlier; Alice, not Bob; look in docs/adr; it was before the release."
  (interactive "sSay: ")
  (anamnesis--answer "say" text))

(defun anamnesis-reject ()
  "Not this one."
  (interactive)
  (anamnesis--answer "say" "Not that one."))

(defun anamnesis-identify ()
  "That's it."
  (interactive)
  (anamnesis--answer "identify"))

(defun anamnesis-end ()
  "End the recall.  It is kept and can be taken up again."
  (interactive)
  (anamnesis--answer "end"))

(defun anamnesis-copy (form)
  "Put the recalled context into the kill ring, as FORM: markdown, commit or comment."
  (interactive (list (completing-read "Copy as: " '("markdown" "commit" "comment") nil t nil nil "markdown")))
  (let ((text (plist-get (anamnesis--request (anamnesis--server) "copyContext" (list :recall (anamnesis--recall) :as form)) :text)))
    (kill-new text)
    (message "Copied the recalled context")
    text))

(defun anamnesis-recalls ()
  "Choose among the recalls there are."
  (interactive)
  (let* ((connection (anamnesis--server))
         (listed (append (anamnesis--request connection "recalls" (make-hash-table)) nil))
         (names (mapcar (lambda (one) (cons (format "%s: %s" (plist-get one :state) (plist-get one :meant)) (plist-get one :recall))) listed)))
    (unless names (user-error "No recall yet"))
    (anamnesis--show connection (format "anamnesis:///recall/%s.md" (cdr (assoc (completing-read "Recall: " names nil t) names))))))

(declare-function term-mode "term")
(declare-function term-char-mode "term")

(defun anamnesis-resume ()
  "Type the command that resumes a cited conversation into a terminal.  It runs when you press RET."
  (interactive)
  (let* ((records (append (plist-get (anamnesis--round) :records) nil))
         (handles (delete-dups (delq nil (mapcar (lambda (one) (plist-get one :handle)) records))))
         (handle (if (cdr handles) (completing-read "Resume: " handles nil t) (car handles))))
    (when (or (null handle) (string-match-p "[[:cntrl:]]" handle))
      (user-error "No record of this recall can be resumed"))
    (require 'term)
    (let ((buffer (get-buffer-create (generate-new-buffer-name "*resume*"))))
      (with-current-buffer buffer
        (term-mode)
        (term-exec buffer "resume" (or (getenv "SHELL") shell-file-name) nil nil)
        (term-char-mode)
        (run-at-time 0.5 nil (lambda () (when (get-buffer-process buffer) (process-send-string buffer handle)))))
      (pop-to-buffer buffer))))

(declare-function term-exec "term")

;;; Documents

(defvar anamnesis-document-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "n" #'forward-button)
    (define-key map "p" #'backward-button)
    (define-key map "i" #'anamnesis-identify)
    (define-key map "x" #'anamnesis-reject)
    (define-key map "s" #'anamnesis-say)
    (define-key map "e" #'anamnesis-end)
    (define-key map "w" #'anamnesis-copy)
    (define-key map "t" #'anamnesis-resume)
    (define-key map "l" #'anamnesis-recalls)
    (define-key map "v" #'anamnesis-plain)
    (define-key map (kbd "TAB") #'outline-toggle-children)
    map)
  "Keys in our documents: RET follows a citation, n and p step, i that's it, x not this, s say, e end, w copy, t resume.")

(define-derived-mode anamnesis-document-mode special-mode "Recollect"
  "A story or a record.  \\{anamnesis-document-mode-map}"
  (setq-local outline-regexp "#+ " revert-buffer-function (lambda (&rest _) (anamnesis-refresh))
              enable-local-variables nil)
  (setq-local font-lock-defaults '((("^#+ .*" . 'bold) ("`[^`\n]+`" . 'font-lock-constant-face)
                                    ("^\\+.*" . 'diff-added) ("^-[^ ].*" . 'diff-removed)) t))
  (outline-minor-mode 1)
  (visual-line-mode 1))

(defun anamnesis--buffer-of (uri)
  (cl-find uri (buffer-list) :key (lambda (buffer) (buffer-local-value 'anamnesis--uri buffer)) :test #'equal))

(defun anamnesis--name (uri)
  (pcase (and (string-match "\\`anamnesis:///\\([a-z]+\\)/" uri) (match-string 1 uri))
    ("recall" "*Recollect*")
    ("scope" "*Recollect: searched*")
    ("file" (format "*%s at %s*" (file-name-nondirectory (car (split-string uri "?"))) (substring (nth 5 (split-string uri "/")) 0 9)))
    (kind (format "*%s*" kind))))

(defun anamnesis--show (connection uri &optional line)
  "Show URI beside the code, at LINE (from 0)."
  (anamnesis--display connection uri (plist-get (anamnesis--request connection "content" (list :uri uri)) :text) line))

(defun anamnesis--display (connection uri text line)
  (let ((buffer (or (anamnesis--buffer-of uri) (generate-new-buffer (anamnesis--name uri))))
        (ours anamnesis--uri))
    (with-current-buffer buffer
      (anamnesis--fill connection uri text line))
    (pop-to-buffer buffer (if ours '(display-buffer-same-window) '(nil (inhibit-same-window . t))))
    (if line (recenter 2) (anamnesis--fold-beside connection uri))
    buffer))

(defun anamnesis--fold-beside (connection uri)
  "Where the story of URI does not fit its window, fold the sections that stand beside it."
  (when (and (string-match-p "\\`anamnesis:///recall/" uri)
             (> (count-screen-lines (point-min) (point-max)) (window-body-height)))
    (seq-doseq (fold (jsonrpc-request connection :textDocument/foldingRange (list :textDocument (list :uri uri))))
      (save-excursion
        (goto-char (point-min))
        (forward-line (plist-get fold :startLine))
        (when (and (equal (plist-get fold :kind) "region") (looking-at-p outline-regexp))
          (outline-flag-region (line-end-position)
                               (save-excursion (goto-char (point-min)) (line-end-position (1+ (plist-get fold :endLine))))
                               t))))))

(defun anamnesis-plain ()
  "Show the story as plain text, without marks and links: for a screen reader."
  (interactive)
  (let ((text (plist-get (anamnesis--request (anamnesis--server) "content"
                                             (list :uri (format "anamnesis:///recall/%s.md" (anamnesis--recall)) :as "plain"))
                         :text)))
    (with-help-window "*Recollect: plain text*"
      (with-current-buffer standard-output (insert text) (visual-line-mode 1)))))

(defun anamnesis--fill (connection uri text line)
  (let ((inhibit-read-only t) targets)
    (erase-buffer)
    (insert text)
    (if (not (string-match-p "\\`anamnesis:///\\(?:file\\|diff\\)/" uri))
        (anamnesis-document-mode)
      ;; the major mode of the file, as if it were visited; its local variables are not obeyed
      (let ((enable-local-variables nil) (buffer-file-name (url-unhex-string (car (split-string uri "?")))))
        (if (string-prefix-p "anamnesis:///diff/" uri) (diff-mode) (delay-mode-hooks (set-auto-mode))))
      (view-mode 1))
    (setq anamnesis--uri uri anamnesis--connection connection anamnesis--text text)
    ;; the definitions of links go, their names become buttons; lines above them stay where they are
    (goto-char (point-max))
    (while (re-search-backward "^\\[\\([^]\n]+\\)\\]: \\(anamnesis:///[^ \n]+\\)\n?" nil t)
      (push (cons (match-string 1) (match-string 2)) targets)
      (delete-region (match-beginning 0) (match-end 0)))
    (goto-char (point-min))
    (while (re-search-forward "\\[\\[\\([0-9]+\\)\\]\\]\\|\\[\\([^]\n]+\\)\\]\\[\\([^]\n]+\\)\\]\\|\\[\\([^]\n]+\\)\\]" nil t)
      (let ((target (cdr (assoc (or (match-string 1) (match-string 3) (match-string 4)) targets))))
        (when target
          (make-text-button (match-beginning 0) (match-end 0) 'action #'anamnesis--follow 'anamnesis-target target
                            'help-echo (car (split-string target "?")) 'follow-link t))))
    (set-buffer-modified-p nil)
    (setq buffer-read-only t)
    (goto-char (point-min))
    (when line (forward-line line))))

(declare-function diff-mode "diff-mode")

(defun anamnesis--follow (button)
  (anamnesis-open (or (anamnesis--link-at (button-start button) (button-end button))
                      (button-get button 'anamnesis-target))))

(defun anamnesis--link-at (from to)
  "The locator between FROM and TO as the server has it: a citation leads to the turn that its sentence quotes."
  (save-excursion
    (goto-char from)
    (let* ((line (1- (line-number-at-pos from t))) (first (- from (line-beginning-position))) (last (- to (line-beginning-position)))
           (links (jsonrpc-request (anamnesis--server) :textDocument/documentLink (list :textDocument (list :uri anamnesis--uri))))
           (link (seq-find (lambda (one)
                             (let ((start (plist-get (plist-get one :range) :start)))
                               (and (= line (plist-get start :line)) (<= first (plist-get start :character) last))))
                           links)))
      (and (plist-get link :target) (string-prefix-p "anamnesis:" (plist-get link :target)) (plist-get link :target)))))

(defun anamnesis-open (locator)
  "Open what LOCATOR names, at its lines."
  (interactive "sLocator: ")
  (let* ((connection (anamnesis--server))
         (target (anamnesis--request connection "open" (list :locator locator)))
         (line (plist-get (plist-get (plist-get target :range) :start) :line)))
    (anamnesis--show connection (plist-get target :uri) line)))

(defun anamnesis-refresh ()
  "Read this document again."
  (interactive)
  (when anamnesis--uri
    (anamnesis--renew (current-buffer)
                      (plist-get (anamnesis--request anamnesis--connection "content" (list :uri anamnesis--uri)) :text))))

;;; Eglot: hover, the code action, and the story that it brings

(defvar eglot-server-programs)

;;;###autoload
(defun anamnesis-eglot-setup (&rest modes)
  "Have eglot run anamnesis-lsp in MODES (default: `prog-mode' and `text-mode') that have no other server.
It brings hover (eldoc) and the code action.  The commands work without it."
  (require 'eglot)
  (anamnesis--eglot-methods)
  (add-to-list 'eglot-server-programs
               (cons (or modes '(prog-mode text-mode))
                     (lambda (&rest _) (cons 'anamnesis-eglot-server anamnesis-command)))
               t))

(defun anamnesis--eglot-methods ()
  (eval
   '(progn
      (defclass anamnesis-eglot-server (eglot-lsp-server) () :documentation "anamnesis-lsp under eglot.")
      (cl-defmethod eglot-initialization-options ((_server anamnesis-eglot-server)) (anamnesis--initialization-options))
      (cl-defmethod eglot-client-capabilities :around ((_server anamnesis-eglot-server))
        (let* ((all (copy-tree (cl-call-next-method))) (window (plist-get all :window)))
          (plist-put all :window (plist-put window :showDocument '(:support t)))))
      (cl-defmethod eglot-handle-request ((server anamnesis-eglot-server) (_method (eql window/showDocument))
                                          &key uri selection &allow-other-keys)
        (let ((line (plist-get (plist-get selection :start) :line)))
          (if (string-prefix-p "anamnesis:" uri)
              (anamnesis--fetch server uri (lambda (text) (anamnesis--display server uri text line)))
            (run-at-time 0 nil #'find-file-other-window (url-unhex-string (string-remove-prefix "file://" uri))))
          '(:success t)))
      (cl-defmethod eglot-handle-notification ((_server anamnesis-eglot-server) (_method (eql anamnesis/roundPresented))
                                               &rest round)
        (anamnesis--keep round)))
   t))

(provide 'anamnesis)
;;; anamnesis.el ends here

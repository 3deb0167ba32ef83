"""English: the table the others are measured by."""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

from anamnesis_lsp.readings.answers.language import Act, Language, Mood

MACROS = {
    "thats": r"(?:thats|that is|that was|thatd be|that would be|this is|this was|thiss)(?: <so>)*",
    "its": r"(?:its|it is|it was|itd be)(?: <so>)*",
    "so": r"exactly|precisely|indeed|definitely|totally|really|actually|absolutely|certainly|surely|just|so|clearly"
    r"|obviously|truly|for sure",
    "rec": r"ones?|sessions?|conversations?|chats?|commits?|changes?|discussions?|threads?|decisions?|records?|adrs?|reviews?"
    r"|prs?|pull requests?|issues?|tickets?|exchanges?|talks?|meetings?|moments?|things?|stor(?:y|ies)|notes?|entr(?:y|ies)"
    r"|patch(?:es)?|transcripts?|designs?|debates?|episodes?|case|past|work|candidates?|results?",
    "same": r"very|exact|same|right|correct|actual|precise",
    "meant": r"(?:i|we)(?:ve| have|d| had| am| was| were|m)? (?:just |actually |really |always )?"
    r"(?:meant?|want(?:ed)?|need(?:ed)?|(?:been )?look(?:ing)? for|(?:been )?search(?:ing|ed)? for|(?:been )?after"
    r"|(?:been )?think(?:ing)? (?:of|about)|had in mind|have in mind|in mind|remember(?:ed)?|remembering"
    r"|tr(?:ying|ied) to (?:remember|recall|find|think of)|(?:been )?talking about|asked for|referr(?:ing|ed) to)",
    "adj": r"interesting|nice|cool|great|good|wow|neat|clever|weird|strange|odd|funny|awesome|amazing|impressive|helpful"
    r"|useful|sad|crazy|wild|lovely|fun|perfect|excellent|brilliant|beautiful|hilarious|fascinating|fantastic|curious"
    r"|surprising|unexpected|convincing|plausible|fair|smart|ugly|awful|terrible|horrible|insightful|informative|handy"
    r"|wonderful|sweet|solid|believable|familiar|similar|confusing|scary|embarrassing|bad|promising|relevant|so-so|legit|nonsense|garbage|rubbish|tricky|annoying|elegant|brutal|intriguing|bizarre|enlightening|educational|reassuring",
    "past_verb": r"was|were|had|did|didnt|wasnt|werent|hadnt|couldnt|wouldnt|used to|must have|may have|might have|could have"
    r"|would have|\w{2,}ed|came|went|got|made|took|gave|left|broke|wrote|said|told|thought|found|kept|began|chose|ran|saw|knew"
    r"|built|sent|spent|lost|held|met|put|cut|hit|fell|felt|brought|bought|grew|led|meant|paid|rose|sold|shut|stood|threw|won",
    "lead": r"(?<=^)|(?<=\byou )|(?<=\bto )|(?<=\band )|(?<=\bplease )|(?<=\balso )|(?<=\bthen )|(?<=\bmaybe )|(?<=\bjust )|(?<=\blets )|(?<=\binstead )"
    r"|(?<=\bnow )|(?<=\bbut )|(?<=\bok )|(?<=\bor )|(?<=\byes )|(?<=\bno )|(?<=\bagain )|(?<=\btake )|(?<=\bhave )|(?<=\bso )|(?<=\bonly )|(?<=\bnope )|(?<=\bkeep )|(?<=\bwe )|(?<=\bpls )|(?<=\bgo )|(?<=\brather )|(?<=\bcan )|(?<=\bhavent )|(?<=\bdidnt )|(?<=\bhasnt )|(?<=\bid )|(?<=\bstill )|(?<=\bif you )|(?<=\byou could )",
    "month": r"january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    "when": r"<month>(?: (?:20)?\d\d)?|spring|summer|autumn|fall|winter|years?|months?|weeks?|weekend|quarter|sprint|20\d\d"
    r"|q[1-4]|christmas|easter|new years?|holidays?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|night|morning",
    "place": r"<path>|docs?|documentation|wikis?|readme|change ?logs?|adrs?|decisions?|decision records?|(?:git )?notes"
    r"|stash(?:es)?|branch(?:es)?|tags|refs|forks?|repos?|repositor(?:y|ies)|upstream|submodules?|folders?|director(?:y|ies)"
    r"|archives?|sessions?|transcripts?|chats?|conversations?|logs?|git log|history|histories|prs?|pull requests?"
    r"|merge requests?|issues?|tickets?|trackers?|jira|slack|discord|e-?mails?|mailing lists?|inbox|confluence|notion|gerrit"
    r"|github|gitlab|reviews?|commits?|commit messages?|messages?|codex|claude(?: code)?|cursor|gemini|aider|copilot"
    r"|opencode|cline|goose|backups?|beads|specs?|rfcs?|design docs?|comments|worktrees?|monorepo|vault|bugzilla|trello"
    r"|linear|stores?|release notes|(?:main|master|trunk|develop|head)(?= branch|<end>)|files?|projects?|machine|laptop|trailers?|reflog|sources?|records",
    "in": r"in|into|at|through|inside|under|on|among|amongst|over|across|within|around|for it in",
    "of": r"(?:(?:the|a|all|any|other|that|this|those|these|my|our|your|his|her|their|old|older|new|newer|closed|open|merged"
    r"|release|feature|main|develop|topic|previous|last|of|20\d\d|also|from|recent|early|earlier|remaining|whole|entire"
    r"|internal|design|git|<path>|[\w.-]+) ){0,4}?",
    "filler": r"(?:(?:please|pls|plz|but|yes|no|now|ok|okay|so|and|then|also|just|lets|let us|well|first|next|quickly|kindly|maybe|hey|hi"
    r"|thanks|cool|great|good|alright|right|by the way|btw|oh|can you|could you|would you|will you|can we|could we"
    r"|should we|shall we|can i|may i|could i get you to|i want you to|i need you to|id like you to|you should|you could"
    r"|we should|we need to|we have to|we must|you need to|go ahead and|help me|while youre at it|while you are at it|go"
    r"|id rather you|after that|instead|meanwhile|separately|time to|would you mind|do you mind)[ ,]+)*",
    "verb": r"fix|add|write|run|re-?run|refactor|rename|implement|create|delete|remove|update|change|deploy|commit|push|pull"
    r"|merge|rebase|build|rebuild|install|uninstall|format|bump|upgrade|downgrade|debug|generate|rewrite|revert|make|test"
    r"|review|document|clean up|extract|inline|replace|convert|port|migrate|configure|set up|start|restart|kill|release"
    r"|publish|drop|repair|solve|optimi[sz]e|improve|lint|type-?check|execute|compile|ship|squash|cherry-?pick|patch"
    r"|mock|stub|disable|enable|log|print|draft|prepare|translate|book|schedule|order|send|call|buy|save|put|move|copy"
    r"|cover|annotate|tidy|benchmark|profile|modify|edit|adjust|correct the|finish|continue (?:coding|with the)|reformat"
    r"|undo|reset|set|use|do the same|(?:tell|ask|inform|email|message) (?!me\b|us\b|you\b|the wiki|jira|github|git\b)[\w-]+ (?:that|to|about)|raise|lower|increase|decrease|double|checkout|check out|clone|ping|mail|remind me to|open (?:a|an|the)(?= (?:pr|pull request|issue|ticket|editor)\b)"
    r"|close the (?:issue|pr|ticket|file)|check (?:if|whether|that)|stop the|work on|get rid of|introduce|wrap|split",
    "verb_or_noun": r"adjust|allow|append|apply|assign|bundle|cache|call|catch|change|close|combine|comment|connect|count|cut|debug|define|deprecate|detect|download|dump"
    r"|encode|ensure|escape|export|expose|fetch|fill|filter|force|handle|hide|hook|host|import|inject|insert|integrate|invert|join|launch|link|load|lock|map|mark|measure"
    r"|mute|override|parse|pin|point|poll|prefix|protect|prune|query|queue|redirect|redo|reduce|register|reload|render|resolve|restore|retry|return|rotate|round|sanitize"
    r"|scaffold|seed|separate|serialize|serve|sign|silence|simplify|snapshot|stage|store|stream|style|swap|sync|tag|throttle|throw|toggle|trace|track|transform|trigger|trim"
    r"|truncate|tune|turn|type|unify|unpin|upload|validate|verify|warn|wire|zip|answer|book|check in|clear|collapse|comb|fold|hand|hardcode|let|pass|paste|pick|plot|sort out"
    r"|speed up|step|tell|time|vendor|walk|watch|commit|log|test|format|copy|cover|patch|mock|profile|review|document",
    "shape": r"quotes?|quotations?|dates?|hash(?:es)?|links?|citations?|cites?|names|numbers|details?|diffs?|excerpts?|times"
    r"|timestamps?|authors?|paths|locators?|handles?|headings?|headers?|bullets?|summar(?:y|ies)|records|sources|emojis?"
    r"|qualifications?|caveats?|speakers?|code blocks?|tables?|sentences?|full text|text|hunks?|commit messages?|snippets?",
    "language": r"german|english|french|spanish|portuguese|italian|dutch|japanese|chinese|korean|russian|polish",
}

ACTS = {
    Act.IDENTIFY: [
        r"(?<=^)this one<end>|<thats> (?:the|my|our) (?:[\w-]+ ){1,3}?(?:that |which )?<meant>(?<! not)",
        r"(?:could|might|may|must|should|would|has to|gotta)(?: \w+)? be (?:it|(?:the|that|this)(?: <same>)? (?:one|<rec>))<end>",
        r"(?:looks|sounds|seems|feels|looked|seemed) (?:a lot |very much |exactly |just |kind of )?like (?:it|the one|that one|the right one)",
        r"<thats> (?:him|her|them|mine|ours)<end>|(?:this|that)(?: one| <rec>)? is (?:right|the right one|correct|exactly right)<end>",
        r"<thats> it(?! (?:for|to|that|which|who|says|was|is|with|in|from)\b)",
        r"<thats> the (?:<same> )?one(?: (?:after all|indeed|alright|all right|for sure|again|too|already|thanks|i think|exactly|(?:that|which|where|with|about|from|in|i|we|you)(?: [\w-]+)*))?",
        r"<thats> (?:the|my|our) (?:<same> )?<rec>(?= thanks| thank you|<end>)",
        r"<thats> (?:the|my|our) (?:<same> )?<rec>(?: that| which)? <meant>",
        r"(?:the|my|our) (?:<same> )?<rec>(?: that| which)? <meant><end>",
        r"(?:<thats>|<its>|yes|yep|yeah|exactly|precisely|just|indeed)(?: exactly| precisely| just| indeed)* what <meant>",
        r"(?<=^)(?:just |exactly )?what <meant><end>",
        r"(?:this|that|it)(?: <rec>)? (?:is|was) (?:exactly |precisely |just )?what <meant>",
        r"<its> this(?: one)?<end>|(?:this|that|it) (?:is|was) either it",
        r"<its> (?:indeed )?(?:that|this)(?: <same>)? (?:one|<rec>)",
        r"<its> the (?:<same> )?one<end>",
        r"(?:yes|yep|yeah|yup|yea|exactly|precisely|definitely|absolutely|indeed),? (?:that|this)(?: <same>)?(?: one| <rec>)?<end>",
        r"(?:that|this)(?: one| <rec>)? (?:exactly|precisely|it is|it was|is it|was it)<end>",
        r"(?:that|this|the)(?: [\w-]+)? <rec> (?:was|is) (?:indeed |actually |really |exactly )?(?:the one|it)(?: i meant| after all)?<end>",
        r"(?:the|that) very (?:one|same(?: one)?|<rec>)",
        r"you(?:ve| have)?(?: actually| really| finally| indeed)? (?:found|nailed|got) (?:it|the one|the right one|the <rec>|my <rec>)",
        r"(?<=^)(?:we )?found (?:it|the one)<end>",
        r"nailed it|bingo|bullseye|bulls-eye|jackpot|eureka|spot on|bang on|dead on|right on the money|on the nose",
        r"i (?:just |do |really |did )?(?:meant|mean) (?:that|this)(?: one| <rec>)?<end>",
        r"i (?:do |now |can |totally |definitely )?recogni[sz]e (?:it|that|this)(?: one| <rec>)?",
        r"(?:now )?i (?:now )?remember (?:it|that|this)(?: one| <rec>)? (?:now|again|well|clearly)",
        r"(?:resume|continue|pick up|go on with|carry on with|reopen|take up) (?:that|this) "
        r"(?:session|conversation|chat|discussion|thread|exchange)(?: [\w-]+)*",
        r"(?:there|here) it is<end>",
        r"(?:yes |yeah |yep )(?:it|that) (?:is|was)<end>",
        r"(?:what|as|how|like|the way) we (?:decided|did it|agreed|planned|concluded|settled)(?: on| it)? (?:there|in (?:that|this) <rec>)|(?:cite|link|reference|mention|quote) (?:that|this) <rec>(?= (?:in|to|from|as)\b)",
        r"(?:couldnt|cannot|cant|could not) be (?:any|anything|any other)(?:thing)?(?: one)? ?(?:else)?<end>",
        r"(?:the )?(?:first|top|leading|presented) one,? (?:is|was) it<end>",
        r"matches (?:exactly |perfectly )?(?:what )?<meant>",
        r"(?:ill|i will|lets|we can) (?:take|go with) (?:that|this)(?: one| <rec>)?<end>",
    ],
    Act.YES: [
        r"yes(?! (?:well|so|and no|or no))|yep|yeah|yup|yea|ya|yas|aye|affirmative|absolutely|definitely|certainly|exactly|precisely|correct|indeed|true"
        r"|totally|of course|confirmed|uh-?huh|mhm|si|sure is|exactly right",
        r"<thats> (?:right|correct|true)<end>",
        r"(?:you are|youre|ure) (?:right|correct)<end>",
        r"(?:it|that) (?:is|was)<end>",
        r"(?<=^)y<end>",
        r"🎯|✅|💯",
    ],
    Act.NO: [
        r"(?:no|nope|nah|naw|noo|negative|non)(?: no)*(?! (?:longer|more|one|matter|need|idea|doubt))",
        r"(?<=^)n<end>|not (?:quite|exactly|really|fully|entirely|precisely)<end>",
        r"👎|❌",
    ],
    Act.REJECT: [
        r"not (?:that|this|the)(?: <same>)?(?: one| <rec>)?<end>",
        r"not (?:it|that|this)(?: one)?(?: at all| i think| im afraid| either)?<end>",
        r"(?:<thats>|<its>|no|nope) (?:still )?not (?:quite |really |exactly |at all |even )?"
        r"(?:it|the (?:<same> )?(?:one|<rec>)|that(?: one)?|this(?: one)?|what <meant>|right|correct|mine|ours)",
        r"(?:that|this|it|these|those)(?: one| <rec>)? (?:isnt|is not|wasnt|was not|aint|cant be|cannot be|couldnt be|cant have been"
        r"|couldnt have been|arent|werent|doesnt look like)(?: <so>| quite| at all| even)* "
        r"(?:it|the (?:<same> )?(?:one|<rec>)|that|this one|right|correct|what <meant>|mine|ours|them)",
        r"(?:isnt|is not|wasnt|not) (?:<so> |quite )?what <meant>",
        r"<thats> not(?: it)?<end>",
        r"wrong(?: (?:one|thing|candidate|story|record|track))?<end>",
        r"(?:<thats>|<its>|youre|you are|totally|completely|all|plain) wrong(?: (?:one|thing|candidate|story))?",
        r"(?:the|a) wrong (?:[\w-]+ ){0,2}?(?:<rec>|file|person|branch)|id be (?:very |really )?surprised if (?:that|this|it) (?:was|is|were) (?:it|the one)",
        r"(?:it|that|this)(?: one)? (?:cant|cannot|couldnt|can not|could not) (?:possibly )?(?:be|have been)(?: (?:it|right|true|that|the one|so))?<end>|(?:thats |that is )?impossible<end>",
        r"incorrect|false<end>|(?:definitely|certainly|absolutely|clearly|surely|probably) not|of course not|not at all",
        r"none of (?:these|those|them|the above|that)|neither(?: of (?:them|these|those))?|nothing of (?:that|the sort|the kind)",
        r"(?:i )?(?:dont|do not|didnt|cant) recogni[sz]e (?:it|that|this|any|them)(?: of (?:it|that|this|these))?",
        r"(?:doesnt|does not|isnt) (?:ring a bell|look familiar|sound familiar|look right|sound right|fit|match|familiar)",
        r"(?:ive )?never (?:seen|heard of|heard about|read) (?:that|this|it)(?: one| <rec>)?",
        r"not even close|way off|far from it|nothing to do with (?:it|what <meant>|that|this)|has nothing to do with"
        r"|that has nothing to do with",
        r"(?:i )?(?:dont|do not) (?:think|believe) so",
        r"no (?:thats|that is|this is|its) (?:wrong|something else)",
        r"reject (?:that|this|it)(?: one)?|rule (?:that|this|it)(?: one)? out|discard (?:that|this|it)(?: one)?",
    ],
    Act.CORRECT: [
        r"(?:(?:much|way|a bit|a little|a lot|even|slightly|somewhat|long|far|considerably|quite|maybe|probably|rather|still|no) )*"
        r"(?:earlier|later|older|newer|sooner)(?: than (?:that|this|the [\w-]+))?",
        r"(?:(?:some|a few|two|three|several|many) )?(?:time|days|weeks|months|years|while|commits|versions) (?:earlier|later|before|after)"
        r"(?: (?:that|this))?",
        r"(?:just |right |shortly |long |well |way |soon )?(?:before|after) (?:that|this|then|it)(?: one)?<end>",
        r"(?:(?:go|going|look|reach|dig|step) )?(?:even )?(?:further|farther|more|way) back(?: (?:further|more|in time))?",
        r"(?:go |going |move )?(?:back|forward) (?:further|more|in time|a (?:bit|few|year|month|week|release))",
        r"what (?:came|was|were|happened|stood|we had) (?:right |just |there |done )?(?:before|after|earlier|later|next|first)",
        r"(?:came|was|were|is|happened|thats|its) (?:much |long |way |shortly |right |just |only )?(?:afterwards?|beforehand|after that|before that)|afterwards?<end>|beforehand<end>",
        r"(?:isnt|arent|wasnt|werent) there (?:not )?(?:a |an |any |some )?(?:newer|older|later|earlier|other|another|different|better|second|similar)(?: [\w-]+)?",
        r"(?<=^)(?:but |just |only |and )*(?:other|another|different) (?:<rec>|files?|branch|person|year|repo)<end>|half (?:right|true|correct)|partly (?:right|true|correct)|partially (?:right|correct)",
        r"you (?:gave|showed|found|brought|picked|presented|opened|chose)(?: me)? (?:a|an|the|some|another) [\w-]+",
        r"(?:the|that) [\w-]+ (?:dont|doesnt|do not|does not|didnt)(?: (?:fit|match|add up|agree))?<end>",
        r"(?:the|that) [\w-]+ (?:isnt|is not|is wrong|is off|doesnt (?:fit|match)|does not (?:fit|match)|cant be right|is not right|wasnt)(?: right| correct| it)?<end>",
        r"(?:far |way |much )?too (?:early|late|old|new|recent|broad|narrow|wide|far back|general|specific|young)",
        r"not (?:that|so|as|this) (?:recent(?:ly)?|old|early|late|long ago|far back|new|broad|narrow)(?: ago)?",
        r"(?:the|that|this|your|an) other (?:[\w-]+ )?(?:<rec>|files?|branch(?:es)?|person|guys?|year|releases?|versions?|modules?|functions?|repos?|time|way|lines?)",
        r"the other(?: way round| way around)?<end>",
        r"the (?:previous|next|prior|preceding|following|earlier|later|older|newer|oldest|newest|earliest|latest|second|third|fourth|fifth"
        r"|last|former|latter|remaining|2nd|3rd|4th)(?: [\w-]+)?(?: (?:<rec>|file|branch|person|year|release|version))?(?: (?:before|after) (?:it|that|this))?",
        r"(?:the|that|those) (?:one|<rec>) (?:just |right |directly |immediately )?(?:with|from|by|about|where|when|before|after|involving|on|in|of|for|above"
        r"|below|next|at|mentioning|written|made|around|without|concerning|titled|called|named|that|who)(?: [\w'-]+)*",
        r"(?:the|that) (?!right |same |very |correct |exact |only |whole |real |actual |first )[\w-]+ one",
        r"(?:number|no\.?|nr\.?|option|candidate|result|item) ?(?:\d|one|two|three|four)|#\d",
        r"(?:something|someone|somebody|anything|somewhere|some (?:one|body)) (?:completely |entirely |totally )?(?:else|other|different)(?:s)?",
        r"(?:a|some|an)? ?(?:completely |entirely |totally |quite )?(?:different|another) (?:<rec>|files?|person|branch|time|year|release|version|author|guy|repo|function)",
        r"not (?!found|there\b|available|sure|certain|bad|more|less|clear|obvious|necessary|needed|required|possible|following|getting|understanding|much|enough|anymore|helpful|useful|entirely|yet|only|just|now|today|so|very|too|much|again|convinced|long|interested|necessarily|really|worth|going|to\b|even|once"
        r"|a\b|an\b|in\b)[\w'-]+(?: [\w'-]+){0,4}",
        r"not an? (?:<rec>|files?|person|branch|function|bug|year|week|month|version)",
        r"not in (?:the )?[\w-]+(?: [\w-]+)?",
        r"(?:it|that|this) (?:wasnt|isnt|was not|is not|werent) (?!it\b|the one|that one|this one|what |a problem|long|important|worth|my|me\b|clear|easy)[\w-]+",
        r"[\w-]+ instead(?: of [\w-]+(?: [\w-]+)?)?<end>",
        r"instead of [\w-]+",
        r"(?<=^)rather (?!not|you|good|nice|interesting|long|short)(?:[\w-]+)",
        r"more like (?!it\b|a list|a table|that\b)[\w-]+",
        r"<its> more like [\w-]+",
        r"(?:no )?i (?:really |actually |just )?(?:meant|was thinking (?:of|about)|was looking for|am looking for|am searching for|am after|was after|was talking about)(?= (?!that one|this one|it\b|that<end>|this<end>|to\b|by\b|you\b|what\b|is\b)[\w<])",
        r"(?:no )?i (?:really |actually |just )?(?:meant|mean|was thinking (?:of|about)|was looking for|am looking for|was after|said|asked for)"
        r"(?= (?:the|a|an|something|someone|when|where|how|bobs|\w+s|another|his|her|their|our|from|in|before|after|around) )",
        r"im (?:really |actually |just )?(?:after|looking for|searching for|thinking of|talking about)(?= (?!that one|this one|it\b|that<end>|this<end>)[\w<])|what i (?:really |actually )?(?:want|wanted|meant|mean|need|am after|was after) (?:is|was)(?= (?!this\b|that\b|it\b|exactly))",
        r"i (?:really |actually |just |only )?(?:want|wanted|need|needed)(?= (?:the|another|something|someone|when|where|how|his|her|their|our|what|whatever) )",
        r"(?:actually|no) (?:it|that|this|he|she|they|we) (?:was|were|is|happened|came)(?! (?:it|the one|that one|the right one|right|correct)\b)",
        r"(?:it|that|this) (?:was|is) (?:actually|rather|instead)",
        r"wrong (?:file|commit|session|person|year|branch|month|release|version|author|conversation|function|repo|repository|line|lines|date|time|guy"
        r"|part|chat|module|project|place|direction|discussion|thread|adr|pr|decision|period|era|bob|alice)",
        r"(?:never ?mind|forget(?: about)?|ignore) (?!it\b|this\b|that<end>|that one<end>|this one<end>|about)(?:the|that|what|alice|bob|about the) ?[\w-]+",
        r"(?:very |so |pretty |getting |really |quite |you are |youre )*(?:close|closer|warm|warmer|almost|nearly)<end>",
        r"(?:almost|nearly) (?:it|right|there)?<end>",
        r"(?<=^)(?:(?:hm|no|wait|but|and|hmm) )*(?:isnt|wasnt|is not|was not) (?:it|that|this) (?!it\b|the one\b|the same\b|that\b|what\b|in\b|under\b|a bit|also\b|there\b)(?:rather |actually |more )?[\w-]+",
        r"the first (?:one|<rec>|of (?:them|those|these))(?! is it| was it)",
        r"(?:show|give|try|take|get)(?: me)? (?:the |an?)?(?:next|other|others|another|previous)(?: (?:one|candidate|ones|candidates))?",
        r"next (?:one|candidate)(?: please)?<end>|next please|others\?",
        r"(?:what|anything|which) else(?: (?:is there|do you have|have you got|did you find))?",
        r"(?:any|the) (?:others|other (?:candidates|ones|options|matches|hits))",
        r"(?:the )?whole (?:topic|line|thing|story|discussion|thread|history|series|line of work|conversation|session|saga)",
        r"(?:wider|narrower|broader|smaller|bigger|larger) (?:than|picture|scope|past|whole|thing)",
        r"(?:just|only) (?:the|that|this) (?:session|conversation|decision|discussion|part|moment|single \w+)(?: [\w-]+)*",
        r"[\w-]+ rather than (?:the |a |an )?[\w-]+",
        r"make (?:that|it) (?:<month>|20\d\d|alice|bob)",
        r"(?:dont|do not) (?:look|search|check|go)(?: \w+)? (?:<in> )?<of><place>",
        r"you(?:re| are)? (?:mixed|mixing|confused|confusing)(?: [\w-]+)*",
        r"(?:except|only|but) (?:it|that|this|he|she) (?:wasnt|was|isnt|is) (?:earlier|later|not|before|after)",
        r"not (?:until|till) [\w-]+",
    ],
    Act.PLACE: [
        r"<lead>(?:looks?|looked|looking|search|searched|searching|dig|digging|dug|browse|browsed|hunt|rummage|poke|a look|peek|check|checked|grep"
        r"|go|went|going|sift|scan|trawl|crawl|start|see|read)(?: (?:again|also|once more|around|instead|maybe|please|too|deeper|more|further|only"
        r"|just|it up|for it|for that))* <in> <of><place>(?: (?:from|before|after|of|by|around|since|between|until|older than|during|in) [\w.-]+(?: [\w-]+)?)?",
        r"<lead>(?:check|checked|search|searched|searching|checking|try|tried|grep|scan|consult|browse|inspect|read|include|use|go through|comb through"
        r"|consider|query|see|cover|index|look up|look through|look at|looked at)(?: (?:out|also|again|instead|maybe|too|only|just|please))* <of><place>(?: (?:from|before|after|of|by|around|since|between|until|older than|during|in) [\w.-]+(?: [\w-]+)?)?"
        r"(?: (?:too|as well|instead|please|first))*",
        r"(?:it|that|this|they|the \w+)? ?(?:might|may|could|should|would|has to|ought to|will|shouldve|mightve|couldve)(?: (?:also|well|still|even|just))? "
        r"(?:be|have been|live|sit|stand|be found|turn up|exist)(?: (?:somewhere|documented|recorded|written|noted|hidden|mentioned|still))* <in> <of><place>",
        r"(?:could|might|may|can|would|should|shouldnt|couldnt|wouldnt|isnt|wasnt|arent|werent|cant) (?:it|that|this|they|there) (?:also |not |all )?(?:be|have been|maybe|perhaps|somewhere|documented|written|recorded)(?: (?:somewhere|something|anything|documented|recorded|written|noted|hidden|mentioned|maybe))* <in> <of><place>",
        r"(?:is|are|was|were) (?:it|that|this|there) (?:maybe |perhaps |not )?(?:anything |something |somewhere )?(?:mentioned |documented |recorded )?<in> <of><place>",
        r"(?<=^)(?:(?:maybe|perhaps|probably|possibly|also|or|only|just|and|not|try|but|somewhere|then|say) )*(?:in|under|inside|among|on|through) <of><place>"
        r"(?: (?:maybe|perhaps|i think|somewhere|too|as well|please|i guess|instead))*<end>",
        r"(?:what|how) about (?:in )?<of><place>",
        r"(?<=^)(?:(?:maybe|perhaps|try|and|also|then|or|possibly) )*<path>(?: (?:maybe|perhaps|too|as well|please))*<end>",
        r"<of><place> (?:may |might |should |would |could |will |must |probably |surely |certainly |also )*(?:has|have|contains?|mentions?|knows?|shows?|says?|tells?|holds?)(?: (?:it|that|this|something|more|about it|the answer|them|us))+",
        r"(?:only|just) (?:in )?(?:the |this |that |my |our )(?:[\w.-]+ )?(?:branch(?:es)?|repo|repository|folder|directory|tags|chats|wiki|project)",
        r"(?:only|just) (?:the )?(?:20\d\d|older|newer|recent|last \w+s?|codex|claude|cursor|gemini|aider|copilot|closed|merged|release) "
        r"(?:[\w-]+ )?(?:sessions|commits|chats|branches|prs|transcripts|logs|conversations|tags|issues)",
        r"ask (?:github|jira|slack|the wiki|git)",
        r"(?:its|it is|thats|theyre|that is)(?: (?:probably|maybe|perhaps|surely|definitely|all|somewhere|likely|certainly|also))* (?:in|under|on|among|inside) <of><place>",
        r"(?<=^)(?:(?:but|rather|maybe|only|just|no|try|then) )*(?:the|our|my) (?:[\w-]+ )?(?:repo|repository|wiki|folder|directory|archives?|tracker|stash|fork|mailing list|changelog|reflog|bug tracker)<end>",
        r"(?:theres|there is|there are|we have|we also have|we had|you have)(?: also| still)? (?:a|an|another|some|one|two|several|old|more) <of>(?:branch|branches|repo|repos|repository|fork|forks|wiki|folder|directory|archive|stash|tracker|mailing list)",
        r"(?:probably|likely|surely|certainly|must be|should be|possibly|perhaps|maybe) (?:somewhere )?(?:in|under|on|among) <of><place>",
        r"(?:see|check|find out|look) (?:if|whether) (?:its|it is|that is|thats|there is|theres|anything is|something is|it was|they are)(?: [\w-]+)? (?:in|under|on|among|at) <of><place>",
        r"(?<=^)(?:please |also |then |now |but |no |maybe |rather |just )*(?:check|search|look (?:in|into|through|inside)|dig (?:in|into|through)|go through) (?:the|our|my|their|bobs|alices) (?!date|time|test|tests|build|linter|code|story|quote|story|facts|spelling|weather|door|result|same|other one)[\w-]+(?: [\w-]+)?<end>",
        r"(?:somewhere|anywhere) (?:in|under|around) <of><place>",
        r"(?:start|begin) (?:with|from|at) <of><place>",
        r"(?:in|on|from) (?:the|a|some|an) other (?:repo|repository|branch|fork|machine|project|folder|worktree)",
    ],
    Act.WIDER: [
        r"(?:search|look|dig|go|cast|searching|looking|digging)(?: (?:a bit|even|much|the net))? (?:wider|deeper|further|everywhere|harder|more broadly"
        r"|more widely|elsewhere|farther|again|more|on)(?! back)",
        r"(?:widen|expand|extend|broaden|deepen|enlarge)(?: (?:the|your|this))?(?: (?:search|scope|net|range|it))?",
        r"(?:keep|continue|go on|carry on)(?: on)? (?:looking|searching|digging|going|trying|the search|searching)",
        r"(?:search|include|look (?:at|through|in)|check|scan|read|do|try) (?:everything|all(?: of (?:it|them))?|the rest|every(?:where)?|all the (?:rest|others))"
        r"(?: [\w-]+)?",
        r"(?:the |run the |do the |start the )?(?:wider|full|bigger|broader|larger|deeper|complete|extended) search",
        r"(?:search|check|read|include|try|open|query) (?:them|those|these|both|it all)(?: (?:all|too|then|please))*",
        r"(?:try|look|search|check) (?:again|harder|more|on)",
        r"(?:dont|do not) (?:limit|restrict|confine) (?:yourself|it|the search)(?: to [\w -]+)?",
        r"(?:search|read|go through|look (?:through|in|at|into)|check|try|use|include|scan|grep)(?: (?:in|at|through|into|over|also|too|all|every|the|my|our|those|these))* "
        r"(?:full|whole|entire|complete|raw) (?:texts?|history|repo|repository|transcripts?|logs?|bod(?:y|ies)|conversations?|sessions?|archives?)"
        r"(?: of (?:(?:the|all|those|these|my|our|every) )*[\w-]+)?(?: too| as well| please)*",
        r"(?:search|read|check|look (?:in|at|through)|include|try)(?: (?:also|too|in|all|every|the|those))* (?:other|remaining|unmerged|old) (?:branch(?:es)?|refs|tags|repos?|repositories|stores?|folders?|projects?)",
        r"(?:all|every) (?:branches|refs|repos|repositories|roots|branch|repo|ref|stores|sessions|tags)(?: (?:too|as well|please))*",
        r"leave no stone unturned|everything you (?:have|can)|wherever you can",
    ],
    Act.ADMIT: [
        r"go ahead|go for it|go on|do it|do so|do that|run it|run that|(?:yes )?please(?: do)?|do|why not|sure(?: thing)?|ok(?:ay)?|oki|k|kk|fine(?: by me)?"
        r"|fine with me|alright|all right|by all means|sounds (?:good|fine|great|ok|reasonable)|of course|id like that|proceed|you may|feel free"
        r"|(?:that )?would be (?:great|good|nice|lovely|fine)|lets do (?:it|that|this)|lets try(?: it| that)?|lets go|(?:i )?(?:dont|do not) mind(?: waiting)?|(?:i )?(?:dont|do not) (?:care|mind)(?: about)? (?:how|what|the|that|if)(?: [\w-]+)+|(?:thats|its|that is) (?:fine|ok|okay|good|alright)|money is no object|whatever it takes|(?:(?:thats|its|that is|sounds) )?(?:acceptable|affordable|doable|bearable|reasonable|cheap(?: enough)?|tolerable|not (?:too )?(?:bad|long|much|expensive))"
        r"|i can wait|ill wait|i have time|no problem|be my guest|if you (?:must|like|want|think so)|start it|(?<=^)(?:start|begin|search|continue)(?: now| then| please)?<end>|good idea|please|worth (?:it|a (?:try|shot|go|look))"
        r"|its worth it|that works|works for me|give it a (?:go|try|shot)|knock yourself out|go|admitted|granted|approved|accepted|agreed|deal|yes to (?:all|that|both)"
        r"|cant hurt|couldnt hurt|take your time|continue|lets see|i want that|that is ok|thats ok|thats fine",
        r"(?<=^)(?:both|all|everything|all of (?:it|them|those)|the (?:whole )?lot|all (?:three|two|four))(?: please)?<end>",
        r"👍|👌|🙏",
    ],
    Act.DECLINE: [
        r"(?:(?:dont|do not|isnt|is not|hardly|not|doubt|cant see how|dont see) )(?:think |believe |sure |certain )?(?:that |this |it |if )?(?:its |thats |is |it is |that is |is really )?(?:really )?worth (?:it|the [\w]+|that|doing|waiting|searching)(?: [\w-]+)?",
        r"no (?:thanks|thank you|need|way|thx)(?: to)?|not worth(?: it| the [\w-]+| that| waiting)*|isnt worth(?: it| the [\w-]+)*"
        r"|(?:(?:thats|that is|sounds|thats way|way|far|much|its|it is|that sounds) )*too (?:long|expensive|much|slow|costly|big|many)(?: [\w-]+)?"
        r"|(?:id |i would )?(?:rather|better|prefer) not|id rather you (?:didnt|dont)|not (?:now|today|necessary|needed|yet|this time|interested|required)"
        r"|(?:maybe )?later|(?:some|an)other (?:time|day)|(?:ill |i )?pass|dont(?: bother| search| do (?:it|that)| you dare)?<end>|do not(?: search)?<end>|unnecessary"
        r"|skip (?:it|that|this)|skip<end>|(?:im|i am) (?:ok|okay|fine|good)(?: (?:like this|as is|thanks|without))?|(?:its|thats) (?:ok|fine|good)(?: enough)? (?:like this|as is|as it is|without)|we can skip(?: it| that)?"
        r"|(?:(?:thats|its|a (?:bit|lot|little)|far|way|much) )*more than (?:i|we|id) [\w ]+|(?:id )?prefer not(?: to)?|id prefer (?:you )?not|hold off|no more(?: searching)?|(?:lets|better) not|i (?:cant|wont|dont want to) wait|not that important"
        r"|(?:i )?(?:dont|do not) (?:want|need) (?:that|it|this|to|you to)(?: [\w-]+)*|thats not needed|save (?:it|the money|the time)|keep it narrow"
        r"|without me|no search|decline[d]?|i decline|refuse[d]?",
    ],
    Act.FORM: [
        r"(?:i (?:was|am|had been) (?:hoping|asking|looking|wishing) for|i (?:wanted|expected|need|want|would like|asked for)|id (?:like|prefer)) (?:something |it |a bit |a |the |this |that )*(?:shorter|longer|briefer|simpler|clearer|more detailed|more concise|less verbose|less technical|more detail|a list|a table|a summary)(?: [\w-]+)?",
        r"(?:(?:a|much|even|bit|lot|little|make|keep|say|tell|put|write|render|it|that|this|them|the|story|answer|summary|me|still|far|way|something|in|version|now) )*"
        r"(?:shorter|longer|briefer|brief(?:ly)?|concise(?:ly)?|simpler|plainer|terser|tighter|more compact|crisper|clearer|more readable|more detailed|less detailed"
        r"|less (?:verbose|technical|wordy|formal)|more (?:verbose|technical|formal|precise)|bigger|smaller font)(?: (?:version|form|summary|text|answer|please|pls))*",
        r"(?:more|less|fewer|extra|some|additional|further) (?:details?|context|words|text|depth|sentences|prose|quotes|dates)(?: (?:please|pls))*",
        r"(?:in|sorted by|sort(?:ed)?(?: it| them)? by|order(?:ed)?(?: it| them)? by|by|in order of|group(?:ed)? by|grouped by|arranged by) (?:order of )?"
        r"(?:time|date|author|relevance|importance|file|chronolog\w+|reverse(?: order)?|chronological order|order|time order|year|person|speaker)(?: order)?",
        r"chronological(?:ly)?(?: order)?|(?:newest|oldest|latest|earliest|most recent|first) (?:ones? )?first|(?:reverse|reversed|other) order|timeline|as a timeline",
        r"(?:as|in|into|give me|make (?:it|that)|show (?:it|that|me)(?: as)?|put (?:it|that) in(?:to)?|format (?:it|that|this) as|use|with) (?:a |an |the )?"
        r"(?:(?:short|simple|bullet(?:ed)?|numbered|plain|markdown|single|few|nice|small|one|two|three|five|compact) )*"
        r"(?:list|table|bullets?|bullet points?|points|paragraphs?|sentences?|lines?|words?|json|markdown|plain text|prose|outline|timeline|diagram|html|csv|bulletpoints|one-?liner|headline|tweet)"
        r"(?: (?:please|form|format))*",
        r"(?<=^)<filler>(?P<hit>bullets?|bullet points|numbered list|markdown|plain text|one sentence|two sentences|one line|one-?liner|json|table|summary)(?: please| only| instead)*<end>",
        r"(?:in|into|to|translate(?: (?:it|that|this))?(?: in)?to) <language>(?: please)?|auf deutsch|translate (?:it|that|this)(?: please)?",
        r"(?:add|remove|drop|include|show|give|hide|omit|skip|cut|without|with|leave out|keep|insert|strip|lose|spare me|leave|see|get|have|want|need|print|only|just)"
        r"(?: me| us)?(?: (?:in|all|the|any|also|just|only|those|full|exact|complete|original|actual|of|a|its|their|more|fewer|no|so many|raw|whole|commit))* <shape>"
        r"(?: (?:too|please|as well|instead|only|in full|verbatim|again|itself))*",
        r"(?:only|just) the (?:commits|sessions|conversations|decisions|people|names|first \w+|last \w+|story|gist|summary|facts|essentials|conclusion|reason|result|short version)(?: please)?",
        r"tl;? ?dr|in short|short version|long version|the gist|sum (?:it|this|that)? ?up|summari[sz]e(?: (?:it|this|that|the [\w-]+))?|recap|nutshell|in a nutshell",
        r"(?:say|tell|show|explain|repeat|read|print|write|phrase|give|present|render|put|run) (?:me )?(?:it|that|this|the story|that part|all that|them)(?: (?:to me|all))? "
        r"(?:again|once more|differently|in other words|in simpler words|in plain (?:english|words|language)|another way|otherwise|simply|slowly|step by step|like im (?:five|5|a child)|(?:more |less |a bit more |very )?(?:simply|clearly|briefly|plainly|precisely|shortly|concisely|formally|slowly)"
        r"|in one \w+|in order|in full|word for word|back to me)(?: (?:please|in one sentence|in \w+ words))*",
        r"say (?:that|it) again(?: [\w-]+)*|repeat(?: (?:that|it|this))?(?: (?:please|again))*<end>|come again|rephrase(?: (?:it|that|this))?|reword(?: (?:it|that|this))?"
        r"|paraphrase(?: (?:it|that|this))?|elaborate(?: on (?:that|it|this))?|expand on (?:that|it|this|<cited>)|go into (?:more )?detail|spell (?:it|that) out|reformat(?: (?:it|that))?",
        r"(?:not|dont be|dont|stop) (?:so |being so |that |too |be so )(?:long|verbose|wordy|detailed|short|much(?: text| detail)?|many \w+|technical|chatty|brief|terse)",
        r"too (?:long|verbose|wordy|detailed|short|much (?:text|detail|information)|terse|many (?:words|quotes|details|records)|technical|brief|vague)(?: for me)?",
        r"stop (?:showing|quoting|repeating|using|citing|listing|including|adding|with the|abbreviating|shortening)(?: [\w-]+)*",
        r"(?:leave out|cut out|skip|omit|hide|collapse|fold|drop|without|spare me|enough of|lose) (?:the |all |all the )?(?:dates?|quotes|hashes|names|qualifications|caveats|details|adjacent|candidates"
        r"|records|citations|numbers|rest|diffs?|boilerplate|last (?:line|sentence|paragraph)|first (?:line|sentence|paragraph)|second (?:line|sentence|paragraph)|currency line)",
        r"(?:can|could|may|might) i (?:get|have|see) (?:it|that|this) (?:as|in|with|without|shorter|longer) ?[\w-]*(?: [\w-]+)*",
        r"(?:quote|cite) (?:it|that|them|verbatim|literally|exactly|the [\w-]+|more|less|less of it|<cited>)(?: (?:verbatim|literally|in full|exactly|word for word))?",
        r"(?:show|give|let me see|print|display)(?: me)? (?:<cited>|the (?:record|commit|diff|session|whole (?:thing|text|quote)|first|last)(?: <cited>)?)(?: (?:in full|again|verbatim|please))*",
        r"(?:use|in|with|using) (?:(?:plain|simple|simpler|fewer|less|more|other|different|normal|human|easy|everyday|few|your own|half the) )+(?:language|words|terms|english|phrases)(?: please)?",
        r"(?<=^)<filler>(?P<hit>shorten|condense|compress|abbreviate|trim|tighten|lengthen|tabulate|itemi[sz]e|simplify|sort|reorder|number|group|list)(?: (?:it|this|that|them|these|everything|the (?:story|text|answer|records|list|sentences)))?(?: (?:up|down|please|a bit|by [\w-]+))*<end>|why so (?:long|verbose|short|wordy|much text|complicated)",
        r"(?:say|tell|write|put|explain|show|give|render|phrase|print|repeat)(?: me| us)? (?:it|that|this|them|the story|all)(?: to me)? (?:without|with|in|as|using|like|for) [\w-]+(?: [\w-]+){0,3}",
        r"(?:one|two|three|four|five|a few|a couple of|\d+) (?:sentences?|lines?|words?|paragraphs?|bullets?|bullet points)(?: (?:max(?:imum)?|at most|or less|or fewer|only|please|tops))*<end>|(?:start|begin|starting|beginning|first) with (?:the )?(?:newest|oldest|latest|earliest|most recent|first|last|conclusion|result|end|beginning|decision)",
        r"(?:(?:thats|this is|it is|its) )?(?:quite |still )?(?:a lot of|too much|so much|a wall of|way too much) (?:text|words|detail|details|information|info|to read|prose|stuff)",
        r"(?:open|view|display|jump to|go to|take me to|bring up|pull up) (?:it|that|this|<cited>|(?:the|that|this) (?:<rec>|diff|file|record|link))(?: <cited>)?(?: (?:please|in full|again|for me))*<end>",
        r"(?:explain(?: (?:it|that|this))? )?(?:to me )?like im (?:five|5|a child|an idiot)|eli ?5",
        r"make (?:me |it |this |that )?(?:a |an |one |into a )?(?:list|table|summary|timeline|bullet list|bullets|outline|one-?liner)(?: please)?|(?:put|move|show|place|keep) (?:me )?(?:the |all )?(?:<shape>|newest|oldest|story|conclusion|answer) (?:in front|first|last|up front|at the (?:end|top|bottom|beginning|start|front))(?: [\w-]+)*",
        r"as (?:short|brief|concise|simple|detailed|compact|plain|long) as (?:possible|you can|it gets|can be)|(?:one|two|three|a|\d+) (?:sentences?|lines?|words?|paragraphs?)(?: (?:is|are|will be|would be|will|would))? (?:enough|fine|plenty|ok|okay|do|suffice)",
        r"keep (?:it|this|that) (?:short|brief|simple|concise|compact|plain|crisp|to (?:the point|one|two|three|a few)[\w ]*)|to the point(?: please)?",
        r"plain(?: text)? please|verbatim(?: please)?|in full(?: please)?|in other words|line by line|step by step|side by side|in a table|as text|with context",
        r"(?:change|use|switch to) (?:the )?(?:format|order|layout|language|style|date format|iso dates|bullets|past tense|metric|24h|utc|local time)(?: [\w-]+)*",
        r"(?:number|bold|highlight|underline|indent|wrap|align) (?:the |them|it|each )(?:[\w-]+)?",
    ],
    Act.REMARK: [
        r"(?:(?:thats|that is|that was|this is|it is|its|it was|how|what|very|so|really|pretty|quite|oh|ah|a|an|rather|most|all|truly|well|super|sounds|looks|seems|ok|hm) )*<adj>"
        r"(?: (?:indeed|stuff|find|work|story|job|to know|thing|summary|point|question|one|enough|that|of you|read|answer|idea|to me|though))*",
        r"(?:(?:thats|that is|it is|its|this is|how|very|so|really|pretty|quite) )*<adj> (?:that|how|why|to (?:see|hear|read|know|learn)) [\w ]+",
        r"(?:id|i would|i|ill|let me)(?: \w+)? (?:have to|need to|want to|must|got to|should) (?:read|see|check|look at|think about|re-?read|sleep on)(?: (?:it|that|this|more|first|again|closely|through|over|about))*|im on the fence|on the fence|so many words|so much text|if you say so|whatever you say|says who|the usual|as expected|typical|classic|of course it is|50/50|im torn|say no more|(?:its|it is|thats) (?:hard|difficult|tough|impossible) to (?:say|tell|know)|i (?:almost|nearly|sort of|kind of|vaguely|half) remember(?: (?:it|that|this))?<end>|thats how i (?:remember|remembered|recall) (?:it|that)(?: [\w]+){0,3}|that (?:would|could|might) explain (?:a lot|it|everything|things)|(?:its|thats|it is|that is) possible|kind of|sort of|i have (?:my|some) doubts|doubtful|(?:id|i had|ive|i)(?: \w+)? forgotten (?:about )?(?:that|this|it|all that|about it)|fifty fifty|undecided|no opinion|cant say(?: yet)?|too early to (?:say|tell)|who can say",
        r"(?:(?:thats|that is|this is|sounds|looks|seems|how|so|very|pretty|quite|really|what an?|oh|wow|its|it is|rather|a bit|kind of) ){1,6}[\w-]{3,20}(?:ful|ive|ous|able|ible|ish|ic|ical|esome|itary|less|ly)(?: (?:stuff|story|find|read|thing|though|indeed))?<end>",
        r"thanks?(?: you)?(?: (?:very|so))?(?: (?:much|a lot|again|anyway|for (?:that|this|the [\w-]+)|a bunch|buddy))*|thx|ty|tysm|cheers|ta|much appreciated|appreciate it|merci|danke|gracias",
        r"(?:ok |oh |ah |yes |yeah )?i see(?: (?:now|that|it))*<end>|got it|gotcha|(?:that )?(?:kind of |sort of )?makes sense(?: now)?|fair enough|understood|noted|roger|will do|lol|haha+|hehe|heh|rofl|lmao|xd"
        r"|hmm*|hm+|huh|mm+|ah+|oh+|aha|uh+|um+|er+|ooh|whoa|wow|ouch|oops|phew|meh|ugh|yikes|gosh|jeez|omg|wtf|damn|right(?: then)?|well(?: well)*|alrighty|so|anyway|(?<=^)and<end>",
        r"ok(?:ay)?|okey|oki|k|kk|alright|all right|fine|sure|whatever|good|great|nice|cool|super|perfect|wonderful",
        r"(?:oh )?i (?:had no idea|didnt know(?: that| this)?|had forgotten(?: (?:about )?(?:that|this|it|all that))?|forgot (?:about )?(?:that|this|it)|never knew(?: that)?|remember (?:that|now)|knew it"
        r"|guess(?: so)?|suppose(?: so)?|love (?:it|this|that)|like (?:it|this|that)|hate (?:it|this)|wonder|think so|hope so|dont know|dunno|cant tell|wouldnt know)<end>",
        r"that explains (?:it|a lot|everything|things|that|why|some|so much)(?: [\w-]+)*|good to know|not (?:too |so |half )?bad(?: at all)?<end>|who knew|who(?:d| would) have thought|no wonder|go figure|small world|fun times|good times|those were the days|time flies"
        r"|what a [\w-]+(?: [\w-]+){0,8}|how (?:interesting|funny|odd|strange|nice|sad|curious)|of all things|my goodness|holy \w+|i am impressed|im impressed|you are good|youre good|good (?:job|work|one|point|catch|find)|well done"
        r"|(?:sounds|looks|seems|feels) like (?:something|us|me|him|her|a) ?[\w-]*(?: [\w-]+){0,4}|close enough|sounds (?:right|plausible|about right|familiar)|looks (?:right|plausible|good|about right|familiar)|(?:that |this |it )?(?:does |do |kind of |vaguely |sort of |also )*rings? (?:a|some) bells?|seems (?:right|plausible|so)",
        r"(?:wow )?(?:that|it) (?:was|is) (?:a )?(?:long|some|quite some|such a long|ages|years|a while)(?: time)? (?:ago|back)(?: already)?",
        r"(?:just )?(?:a|one|give me a) (?:moment|second|minute|sec|min)(?: please)?|wait|hold on|hang on|let me (?:think|see|check|read(?: that| it| this)?)(?: [\w-]+)*|thinking|(?:im|i am) (?:still |just |only |really )*(?:reading|thinking|looking|checking|confused|lost|impressed|surprised|listening|curious)|brb",
        r"no (?:idea|clue|worries|kidding|comment|way)(?: (?:sorry|really))*<end>|nothing(?: (?:more|else|comes to mind))?|thats all i (?:know|remember|have|got|can say)(?: [\w-]+)*"
        r"|i (?:really )?(?:dont|do not|cant|cannot) (?:remember|recall|think of)(?: (?:anything|any) ?(?:more|else|further)?| more| much| it)?(?: (?:sorry|right now|than that))*<end>|all i (?:know|remember)<end>|not much(?: more)?|sorry",
        r"👍|👌|🙏|🙂|😀|😄|😂|🤔|❤|🎉|😅|😮|🤷|😊|🙄|😢|👀",
        r"hello|hi|hey|good (?:morning|evening|afternoon)|(?<=^)test(?:ing)?<end>",
        r"(?:could|might|may) (?:well |very well |just )?be(?: (?:right|true|so))?|maybe|perhaps|possibly|probably|who knows|hard to say|not sure(?: yet| about (?:that|this|it))?|im not sure|unsure|unclear|i doubt it|jury is still out",
    ],
    Act.SHIFT: [
        r"(?<=^)(?:(?:no|maybe|rather|just|right|probably|and|long|shortly|well|but|was it|it was|that was|must have been) )*(?:before|after|prior to|not until) (?!it\b|that\b|this\b|then\b)[\w'-]+(?: [\w'-]+){0,5}",
    ],
    Act.CUE: [
        r"(?:it|there|they|we|he|she|i|someone|somebody|everyone|everybody|nobody|you|both)(?: (?:just|only|also|always|never|once|first|then|all|even|had|still|really|probably|definitely|both))* (?:<past_verb>)",
        r"i (?:only |just |do |still |also |vaguely |clearly |distinctly |dimly )?(?:remember|recall|think|believe|suspect|seem to|remembered)(?= \w)",
        r"(?:something|anything|stuff|things|a lot)(?: \w+)? (?:about|with|to do with|in|on|around|regarding|related|like|involving|concerning)",
        r"(?:has |have |had )?(?:something |a lot |nothing )?to do with|involv(?:ed|ing)|if it helps|for context",
    ],
    Act.HINT: [
        r"(?!(?:need|indeed|speed|feed|seed|embed|interested|supposed|exceed|proceed|confused|tired|done|related|bored|impressed|surprised|worried|noted|understood|agreed|confirmed|shared|used)\b)[\w-]{3,}ed\b",
        r"(?:that|this|one|all|people)(?: \w+)? (?:<past_verb>)",
        r"related to|mention(?:ed|ing)|concern(?:ed|ing)|regarding|caused by|because (?:of )?|due to|triggered by",
        r"(?:in|around|about|during|since|until|by|late|early|mid|mid-|the end of|end of|beginning of|start of|back in|sometime in|some time in|circa|maybe|last|this|on|from|between|over|that|every) (?:the |a |last |late |early |mid |some )*<when>",
        r"<when><end>",
        r"(?:\d+|a|an|one|two|three|four|five|six|a few|a couple of|several|some|many|couple of) (?:days?|weeks?|months?|years?|sprints?|releases?|versions?|decades?|hours?) (?:ago|back)|yesterday|the other day|long ago|ages ago|a while (?:ago|back)|recently|lately|back then|at the time",
        r"(?<=^)(?:(?:just|right|shortly|some time|sometime|maybe|probably|i think|around|somewhere|all|only|perhaps|also|and|or|not) )*(?:with|by|from|for|because|when|while|during|around|about|near|since|until|between|without|via|using|on|in|at) [\w-]+",
        r"[\w-]+(?: [\w-]+)? (?:was|were|wasnt|werent|had|hadnt|did|didnt|wanted|tried|refused|insisted|suggested|proposed|argued|complained|quit|decided|said|wrote|asked|kept|used to)\b",
        r"more precisely|for example|to be precise|additionally|plus|maybe because|the word|the term|called|named",
    ],
    Act.RECALL: [
        r"(?<=^)(?:(?:please|now|lets|can you|could you|help me) )*(?:recall|recollect) (?:the|that|when|why|how|what|who|where|a|our)\b",
        r"(?:didnt|hadnt|havent|werent|wasnt|dont|couldnt|wouldnt|isnt|arent|did(?! you)|had(?! you)|have(?! you))(?: not)? (?:we|i|you|they|there|someone|somebody|anyone|alice|bob|[a-z]+)(?: (?:not|once|already|ever|also|have|used|at some point|somewhere|even))* "
        r"(?:a|an|any|some|once|have|had|been|use|used|already|ever|agree|decide|discuss|talk|try|write|say|fix|fixed|explain|drop|plan|argue|make|find|give|change|build|run|think|want|promise|switch|move|do|go|get|come|settle|reject|consider|document|mention|see|read|put|add|remove|"
        r"\w+ed|this|that|the|something|somewhere|it)\b",
        r"(?:didnt|havent|hadnt|werent|wasnt|did|had) (?:we|i|it|there|you|they)<end>",
        r"(?:theres|there is|there was|there must be|theres got to be|there has to be)(?: \w+)? (?:a|an|some) (?:[\w-]+ )?(?:commit|session|conversation|discussion|chat|thread|adr|decision|note|reason|pr|issue|ticket|record|comment) (?:somewhere|that|where|about|which|for|why|from)",
        r"wasnt there|werent there|wasnt that (?:when|the time|where|because)|isnt there (?:a|an|some) (?:reason|record|adr|discussion|note|decision)|was there (?:not )?(?:a|an|any|some|once|ever)",
        r"(?:do|dont|can|does|did) (?:you|we|anyone|anybody|i)(?: still| even| perhaps| maybe| happen to)? (?:remember|recall)(?! to\b)|(?:can|could) you (?:recall|remember)|remember (?:when|how|why|what|who|where)|remember (?:that|the) (?:[\w-]+ )?(?:time|thing|chat|discussion|session|conversation|day|bug|commit|idea|one|decision|issue)\b(?! is)|(?<!^)remember (?:that|the)|which (?:one|[\w-]+) was (?:that|it)|remember<end>|anyone remember",
        r"what (?:was|were|is|s|about)? ?(?:that|the|this|those) (?:[\w-]+ )?(?:thing|idea|discussion|story|reason|plan|trick|decision|name|argument|bug|issue|problem|conversation|time|deal|thinking|rationale|background|point|other)",
        r"whats (?:that|the) (?:[\w-]+ )?(?:thing|story|reason|deal|background|history|rationale)",
        r"(?:that|this|the) (?:[\w-]+ )?(?:thing|time|discussion|idea|day|decision|bug|trick|change|commit|session|conversation|story|hack|chat|fight|debate|meeting|episode|plan|thread|argument|incident|one time|workaround|experiment|refactoring)s? "
        r"(?:where|when|we|about|with|that|i|in which|after|before|from|on|someone|alice|bob|last|back|a while|from back)",
        r"there (?:was|were|used to be|mustve been|must have been|had been|has been|has to have been)(?: (?:once|also|definitely|surely|probably|always|supposedly))* (?:a|an|some|this|that|something|someone|another|good reason|reasons?|talk|plans?|once)(?: [\w-]+)? ?"
        r"(?:discussion|reason|decision|argument|thing|idea|session|conversation|meeting|bug|plan|debate|thread|commit|workaround|hack|incident|story|chat|adr|record|note|rationale|talk|fight|experiment|attempt|trick|explanation|comment|policy|problem|consensus|agreement|rule|convention|ban|limit|feature|file|script|tool)s?|(?:there )?used to be an? [\w-]+",
        r"i (?:do )?seem to (?:remember|recall)|i keep (?:thinking|remembering)|i have (?:some |a )?(?:memory|memories|recollection) of|i thought (?:we|there was|someone|i)\b",
        r"i (?:\w+ly |half |kind of |sort of |kinda |sorta |still |just |only |do |think i |cant (?:quite )?|dont (?:quite |exactly |really )?|could have sworn |no longer |barely )*(?:remember|recall|recollect)(?! that\b<end>| now| it\b| this\b)(?= [\w])",
        r"i (?:cant|dont|cannot|no longer|do not) (?:quite |exactly |really |fully )?(?:remember|recall)|i (?:forget|forgot|ve forgotten|have forgotten)|ive forgotten|forgotten (?:why|what|when|who|where|how|which)|escapes me|slipped my mind|cant put my finger|cant place",
        r"i could (?:have )?sw(?:ear|orn)|i couldve sworn|im (?:pretty |fairly |almost |quite |not )?(?:sure|certain|positive) (?:that )?(?:we|i|there|someone|alice|bob|it)|pretty sure (?:we|i|there|someone)|i know (?:we|there|i|someone) (?:\w+ )?(?:had|did|was|talked|discussed|decided|tried|used|\w+ed)"
        r"|i have a feeling|i have (?:a|this|some) (?:vague|dim|faint|feeling)|i had the feeling|something tells me",
        r"(?:we|there|i|they|someone|somebody|you)(?: \w+)? (?:must|mustve|must have|had to|should have)(?: have)? (?:had|been|done|decided|talked|discussed|a|\w+ed)",
        r"tip of my tongue|vague(?:ly)? (?:memory|remember|idea|recollection)|(?:dim|faint|hazy|fuzzy|foggy) (?:memory|recollection)|from memory|if memory serves|rings a bell|racking my brain|trying to (?:remember|recall|find (?:that|the)|think of|recollect)|help me (?:remember|recall|find|recollect)|remind me (?:why|what|how|when|who|where|of)|jog my memory",
        r"(?:who|when|what|where|which [\w-]+) was it (?:that|again|where|when|who|we)?|what(?:s| was) (?:it|that) (?:again|called)|who was (?:it|that)|when was (?:it|that)|where was (?:it|that) (?:that|we)|what did we call",
        r"(?:last|previous|that|one|some|two|three|a few|few|couple of|several|the previous) (?:spring|summer|autumn|fall|winter|year|month|months|years|sprint|quarter|christmas|weeks|week|monday|tuesday|wednesday|thursday|friday|release)(?: ago| back| or so)*(?! (?:release notes|report))",
        r"(?:at some point|back then|a while (?:ago|back)|way back(?: when)?|once upon a time|some ?time (?:ago|back)|ages ago|long ago|the other day|years ago|months ago|weeks ago|in the (?:early|old) days|back (?:in the day|when)|earlier this year|around the time|somewhere in the past)",
        r"(?:we|i|they|you|someone|somebody|alice|bob) (?:once|used to|at one point|at some point|already|somewhere|one day|one time|sometime|previously)(?= \w)",
        r"(?:we|they) (?:had|have|got) (?:a|an|some|our|good|this|that|the|very good|reasons?)(?: [\w-]+)? ?(?:reasons?|discussion|argument|decision|plan|rule|talk|rationale|workaround|deal|agreement|debate|conversation|policy)",
        r"i (?:believe|think|guess|suspect|feel like|am sure|seem to think) (?:that )?(?:we|there was|someone|somebody|they|it was|i once|i already)|(?:we|i|they|someone) (?:\w+ed|did|had|said|talked) (?:something|sth)(?: [\w-]+)? ?(?:about|on|like|with|for)|(?:something|sth) (?:about|like|with) (?:this|that)",
        r"(?:we|they) (?:[\w]+ly |once |already |all |even |had |have )*(?:talked|spoke|spoken|discussed|argued|debated|chatted|agreed|decided|settled|concluded|voted)\b",
        r"someone (?:once )?(?:decided|said|told|wrote|suggested|argued|insisted|wanted|mentioned|deciding|saying|arguing|proposed)|somebody (?:once )?(?:decided|said|told|wrote|suggested|mentioned)|whoever (?:wrote|did|added|decided)",
        r"i(?:m| am)? (?:was |still )?looking for (?:the|a|that|some|this) (?:[\w-]+ )?(?:conversation|commit|discussion|session|decision|chat|thread|place|reason|time|change)|(?:find|look up|dig up|locate|show me|get me) (?:that|the) (?:[\w-]+ )?(?:conversation|commit|discussion|session|decision|chat|thread|change|time|pr|issue) (?:where|when|about|in which|that|we|with|from|i)",
        r"what were (?:we|they|you|i) (?:thinking|doing|trying)|the story behind|how come (?:we|this|there)|(?:there is|theres) (?:a|some|surely a|probably a|certainly a) (?:reason|story|history)|for (?:a|some) reason",
        r"(?:this|it|that) (?:was|is) (?:here |there |done |there like this )?(?:for (?:a|some) reason|because of (?:a|some))|(?:had|has) (?:a|some|its|good) (?:reasons?|purpose)|on purpose<end>",
    ],
    Act.WHY: [
        r"(?:didnt|hadnt|hasnt|havent|wasnt|werent) (?!know|see|think|get\b|work\b)[\w-]+(?: [\w-]+){0,3}",
        r"why (?:did|didnt|were|was|werent|wasnt|had|hadnt|on earth|in the world|again|exactly)\b|why (?:do|dont|have|havent|are|would|arent) (?:we|they|you|i)\b|why (?:is|are|does|has|do|isnt|doesnt|the) (?:this|that|it|there|these|those|here)\b",
        r"(?:when|where|how|how come|since when) (?:did|was|were|had|have) (?:we|this|that|it|these|the|they|i|alice|bob|someone)",
        r"who (?:decided|wrote|insisted|suggested|wanted|added|introduced|made|came up|did|put|changed|removed|proposed|approved|reviewed|broke|said|told|thought|invented|chose|dropped|was (?:it|the|against|for|behind))",
        r"what (?:did|was|were|had|made|led|happened|caused) (?:we|the|to|with|us|our|they|i|it|decided|discussed|agreed|this|that|alice|bob)",
        r"(?:which|what) (?:commit|session|pr|conversation|discussion|change|issue|decision|release|version|meeting) (?:did|was|introduced|made|added|changed|broke|dropped|removed|decided|led|where|is)",
        r"whats (?:behind|the (?:reason|rationale|story|history|point) (?:of|for|behind))|where does (?:this|that|it|the [\w-]+) come from|how did (?:we|this|it|that) (?:end up|come|get|happen)|the reason (?:for|why|behind|we)|where (?:is|was) (?:this|that|it) (?:decided|discussed|documented)",
    ],
    Act.SWITCH: [
        r"(?:completely |totally |entirely |quite |very )*(?:different|another|other|new|unrelated|separate|side|next|one more|second|quick) (?:thing|topic|subject|matter|question|story|recall|issue|thing entirely)(?: (?:altogether|entirely|now))*",
        r"(?:on|to) (?:a|an|another)? ?(?:different|another|unrelated|separate|other) (?:note|topic|subject|matter|question|story|thing)",
        r"(?:this is )?unrelated(?:ly)?(?: to (?:this|that))?|not related(?: to (?:this|that))?|nothing to do with this|off topic|changing (?:the )?(?:topic|subject)|change of (?:topic|subject)|lets change (?:the )?(?:topic|subject)",
        r"(?:start|begin|open|make) (?:a )?(?:new|fresh|separate|another) (?:recall|search|one)|(?:new|fresh) recall|recall something else|lets (?:look for|recall|find|talk about|search for) something (?:else|different)",
        r"(?:put|leave|park|set) (?:this|that|it) (?:aside|on hold|for now|for later|for a moment|here for now)|hold this (?:one|thought)|park this|come back to this(?: one)? later|we can come back to this",
        r"something else<end>",
        r"(?:something|sth) (?:else|different)(?: entirely| altogether)?(?= (?:didnt|do|what|i|now|did|why))|while were at it|speaking of which",
    ],
    Act.OTHER: [
        r"(?<=^)other (?:thing|topic|matter|question|story)<end>",
        r"(?:the|that|an|another|some|this|one) ?other (?:[\w-]+ )?(?:things?|past|matter|discussion|decision|time|conversation|story|idea|topic|question|episode|session|one|bug|issue|plan|debate|problem|thread)",
        r"another (?:[\w-]+ )?(?:thing|past|matter|discussion|decision|time|conversation|story|idea|topic|question|episode|session|bug|issue|plan|debate|problem|thread|recall)|(?:a|one) (?:different|second|separate) (?:[\w-]+ )?(?:thing|matter|discussion|decision|time|conversation|story|topic|session)",
    ],
    Act.ASIDE: [
        r"by the way|btw|also|apart from (?:that|this)|besides|as an aside|before we go on|before i forget|while im here|one more thing|in other news|meanwhile|separately|oh and|speaking of (?:which|[\w-]+)|incidentally|in passing|and another thing|now|next",
    ],
    Act.RETURN: [
        r"(?:lets |let us |can we |could we |id like to |i want to |i would like to |please |now )*(?:go |going |get |come |switch |return |turn |jump |move )?(?:back|return|returning|over|on) to",
        r"(?:continue|carry on|go on|resume|proceed|pick up|take up|take|do|reopen|revisit|get on)(?: with| where we left)?(?= (?:the|that|our|my|why|with|on)\b)|switch(?: over)? to|turn to|pick up|take up|resume|reopen|revisit",
        r"look(?:ing)? at(?= (?:the|that|our|my) [\w -]+ again)|again|(?:what|how) about|whats with|as for|regarding|concerning|and|now|about|first|where were we with|where did we (?:leave|get) (?:off )?with|rather|instead|meant|and what of",
    ],
    Act.END: [
        r"(?:please )?stop(?: (?:it|here|now|there|please|that|this|right there|right here|for now|at this point))*<end>",
        r"stop (?:searching|looking|the search|recalling|the recall|digging|trying|this(?: search)?|working on (?:this|it)|it)(?: (?:now|please|here|for (?:me|it)))*",
        r"never ?mind(?: (?:this|that|it|about (?:it|that|this)|then|anymore|all that))?(?: one)?|nvm|nm<end>",
        r"forget (?:about )?(?:it|this|that|all (?:that|this)|the whole thing|i asked|i said anything)(?: (?:then|please|one))*",
        r"leave (?:it|this|that)(?: (?:there|at that|be|here|alone|for now|for today|for another day|now))*<end>|let (?:it|that|this) (?:go|be|rest|lie)|let it be",
        r"(?:lets |just |please |we can |you can )*(?:drop|ditch|abandon|shelve|scrap|skip|end|close|finish|quit|leave|cancel|abort|terminate|kill|halt|conclude) (?:it|this|that|the (?:recall|search|session)|here|there|everything|this recall|this search)(?: (?:now|please|here|there|for now|at that|then))*<end>",
        r"(?<=^)(?:(?:ok|okay|please|thanks|just|so|well|now|alright|right|yes|no) )*(?:cancel|abort|quit|exit|enough|done|halt|end|basta)(?: (?:now|please|here|thanks|it))*<end>",
        r"(?<!\w )enough(?: (?:of|with) (?:this|that|it))?(?= *(?:$|[.,!]|please|thanks|now|for|already))|(?:thats|that is|thats quite|that will be|thats more than) (?:quite |really |about |more than )?enough(?: (?:for (?:now|today|me)|thanks))*|that(?:ll| will| would) (?:do|be all|suffice)(?: (?:for (?:now|today)|thanks))*",
        r"thats all(?: (?:for (?:now|today|me)|thanks|folks|i needed|i wanted|then|thank you))*<end>|that(?:ll| will) be all|<thats> it for (?:now|today|me|the moment|tonight|this week)|thats a wrap",
        r"(?:i|we|im|were|i am|we are|ive|i have)(?: \w+)? (?:done|finished|through)(?: (?:here|with (?:this|that|it)|now|for (?:now|today)|searching|looking))*<end>|were done|all done",
        r"(?:please )?dont (?:bother|worry about it|trouble yourself|waste (?:any )?(?:more )?time|search any(?: ?more| further| longer)?|look any(?: ?more| further| longer)?|continue|go on)(?: (?:any ?more|any further|any longer|with (?:it|this|that)|searching|looking|on (?:this|it)))*",
        r"(?:its |thats |this is |it is )?(?:really |no longer |just |so )?(?:not |isnt |is not |not that |not so |no longer |hardly )(?:that |so |really |very )?(?:important|relevant|needed|necessary|urgent|interesting)(?: (?:any ?more|any longer|now|after all|enough|to me|right now))*",
        r"(?:it |that |this )?(?:doesnt|does not|dont|no longer) (?:really )?matters?(?: (?:any ?more|any longer|now|after all|that much|to me))*|no matter<end>|makes no difference",
        r"(?:i )?(?:dont|do not|no longer|really dont|dont even) (?:really )?(?:need|care|want)(?: (?:it|this|that|about (?:it|this|that)|to know|to (?:continue|go on|search)(?: [\w-]+)*))*(?: (?:any ?more|any longer|now|after all))*<end>",
        r"(?:lets )?call (?:it|off)(?: (?:a day|off|quits|the search|this))*|wrap (?:it |this )?up|lets (?:stop|end|finish|leave|close|quit|call|not)(?: (?:it|this|there|here|now|that|the (?:search|recall)))*<end>|lets move on",
        r"(?:we|you|i) (?:can|could|may|should|might as well|will|ll)(?: just)? (?:stop|end|leave|drop|close|finish|quit)(?: (?:it|this|that|here|there|now|searching|looking|at that))*<end>",
        r"(?:ill|i will|i can|let me|ill just|id rather)(?: just)? (?:find|look|figure|search|manage|do|check|ask)(?: (?:it|that|out|for it|up|around|alice|bob|someone|him|her))* (?:(?:by )?(?:myself|on my own)|later|else|another time|tomorrow|alice|bob)",
        r"(?:i|ive|we|weve)(?: have| already| just| finally)* (?:found|figured|solved|located|worked|got)(?: (?:it|that|this|out))* (?:myself|ourselves|already|elsewhere|by now|in the meantime|on my own|meanwhile)(?: [\w-]+){0,3}",
        r"no need(?: (?:to (?:look|search|continue|go on|bother|dig|keep)|for (?:that|this|more))(?: [\w-]+)*)?|not necessary|skip (?:it|this|that)<end>|(?:im|i am) (?:good|fine|ok|okay|all set)(?: (?:now|thanks|thank you|for now|here))*<end>",
        r"(?:ive|i have|i) lost (?:interest|patience)|(?:im |i am )?(?:no longer|not) interested(?: (?:any ?more|any longer))?|(?:good)?bye(?: bye)?<end>|see you(?: later)?<end>|its (?:getting )?late",
        r"(?:ill|i can|we can|i will|we will|well|id)(?: just| probably)? (?:manage|live|do|cope|survive)(?: fine| well| just fine)? without(?: (?:it|that|this))?",
        r"id (?:sooner|rather) (?:just )?ask (?!for\b|you\b|a\b)[\w-]+(?: [\w-]+)?",
        r"no more(?: (?:please|of (?:this|that|it)|searching|now))*<end>|(?:ill|i will|i can|let me)(?: just| simply| rather)? ask (?!for\b|you\b|a\b|the question)[\w-]+(?: (?:instead|directly|tomorrow|later|myself))*<end>|(?:weve|we have|ive|i have) (?:spent|wasted) (?:enough|too much|long enough) (?:time )?(?:on|with|over)?(?: (?:this|that|it))*",
        r"no (?:thanks|thank you)|not now|not today|(?:maybe )?(?:some|an)other (?:time|day)|some other (?:time|day)|not worth (?:it|the (?:time|trouble|effort|wait|hassle))|its not worth it|waste of time|pointless|no point(?: [\w-]+)*|its hopeless|hopeless|lost cause",
        r"(?:lets )?(?:come|get) back to (?:it|this)(?: (?:later|tomorrow|another time|some other time))+|(?:ill|lets|we can|i will) (?:do|pick up|continue|resume|try) (?:this|it|that)(?: up)? (?:later|tomorrow|another (?:time|day)|some other time)",
    ],
    Act.GIVE_UP: [
        r"i (?:give|gave) up|giving up|i quit|i surrender|im out|screw (?:it|this|that)|to hell with (?:it|this|that)|ive had enough|i have had enough|im (?:sick|tired) of (?:this|it)|enough already|i concede|(?:im|i am) (?:so |just )?done(?: with (?:this|it))?",
    ],
    Act.WORK: [
        r"(?<=^)<filler>(?P<hit>(?:<verb>)(?= ))",
        r"(?<=^)<filler>(?P<hit>(?:<verb_or_noun>)(?= (?:the|a|an|my|our|this|all|every|each|these|those|some|any|its|up|on|off)\b))",
        r"(?<=^)<filler>(?P<hit>commit|push|rebase|deploy|lint|undo|revert|format|rebuild|compile|publish|build|merge|test)(?: (?:it|that|this|now|please|again|everything|all))*<end>",
        r"(?:i|we)(?: just| really| still| also)? (?:need|have|want|ought|gotta|got|am going|are going|must|would like) to (?!know|check|verify|confirm|compare|believe|think|say|thank|ask|mention|point|hear|note|see|find|remember|recall|understand|hear|search|look|continue|return|go back|read|stop|the)[\w-]+",
        r"(?:ill|i will|im going to|im gonna|lets|let us|let me|we should|we could|we need to|we must|time to)(?: just| now| also| quickly)? (?:go (?:and|to|get|for)|get (?:back to|on with|some|lunch|coffee|started)|grab|have (?:lunch|coffee|a break)|eat|code|work|ship|implement|write|fix|decide|make|start (?:on|with|coding)|finish|do the|head|leave|call|meet)",
        r"(?:now |lets |and )*(?:on|move on|moving on|back|get back|go on|over) to (?:the |my |our )?(?:next |other |actual |real )?(?:features?|tasks?|work|job|bugs?|tickets?|coding|code|todo|business|refactoring|implementation|topic at hand)",
        r"i have (?:a|an|another|to) (?:meeting|call|go|run|leave|appointment|standup|interview|train|think about|date)(?: [\w-]+)*",
        r"i(?:m| am)? (?:need|want|getting|going for|grabbing) (?:a|some|another|more) (?:coffee|break|nap|drink|lunch|tea|snack|minute|pause)|do (?:it|that|this|the same) (?:for|with|in|to) [\w-]+",
        r"remind me to|set (?:a|an) (?:timer|reminder|alarm)|take a note|make a note|note to self|(?:back to|get to|on to|lets get back to|lets) (?:work|coding|the code|business)",
        r"(?:the|my|our) (?:build|tests?|ci|pipeline|linter|server|app|editor|branch|deployment) (?:is|are|fails?|keeps?|wont|doesnt|dont|crash(?:es|ed)?|hangs?)(?: [\w-]+)*",
    ],
    Act.WORK_QUESTION: [
        r"how (?:do|would|can|could|should|might|shall) (?:i|you|we|one|people)\b|how to\b|hows the weather|what time|(?:whats|what is) \d+|(?:whats|what is) the (?:time|weather|date|difference|best|syntax)(?! of (?:it|that|this|the|<cited>)| there| in <cited>|<cited>)",
        r"(?:do|should|shall|must|could|am|will|may) i (?!see\b|get\b|have\b|read\b)[\w-]+|(?:which|what|where|when) [\w ]{0,30}(?:do|should|can|must) i\b",
        r"what(?:s| is| are) (?:an? )[\w-]+|is there (?:a|an|any) (?:way|library|tool|package|command|option|flag|shortcut|better)|can you (?:recommend|suggest|teach|code|help)|who are you|what can you do|are you (?:an? )?(?:ai|bot|human)|tell me a joke",
        r"(?:how|what) does (?:the |this |a )?(?:[\w-]+ ){0,3}(?:work|do|mean|return|cost)<end>|what would (?:be|happen)|what (?:does|do|did) [\w .]+ stand for",
    ],
    Act.OPEN_RECORD: [
        r"(?:open|show|display|view|print|cat|go to|goto|jump to|read|bring up|pull up|give me|get|git show|checkout)(?: me| up)?(?: the)?(?: (?:commit|session|file|record|decision|adr|conversation|diff of|change))* (?:<hash>|<path>)",
        r"(?<=^)(?:(?:commit|session|file|record|adr|conversation|the|see|its|it is) )*(?:<hash>|<path>)<end>",
        r"(?:open|show|display|view|go to|jump to|read)(?: me| up)?(?: the| your)? (?:settings|readme|log|file|terminal|editor|diff|adr \d+|config)",
    ],
    Act.NEUTRAL: [
        r"not that (?:it|this|i|we|anyone|you) (?:really )?(?:matters?|mattered|cares?|care|minds?|mind|need|would)(?: [\w-]+)*(?= but|<end>)",
        r"(?:there is |theres |i have |have )?no (?:doubt|question)(?: (?:about|that)(?: it| that)?)?|without (?:a |any )?(?:doubt|question)|beyond (?:any )?doubt|undoubtedly|(?:i )?(?:dont|do not|cant|cannot|couldnt|wont|no longer|never) (?:doubt|deny)(?: that)?",
        r"if (?:(?:im|i am) not (?:mistaken|wrong|confused|misremembering)|i(?: (?:remember|recall))(?: (?:correctly|rightly|right|well|it (?:right|correctly)))?|memory serves(?: me)?(?: right| well| correctly)?|my memory (?:serves|is right)(?: [\w]+)?|i may|i might|im right|i may say so)|iirc|afair",
        r"if (?:possible|you (?:can|could|dont mind|do not mind|please|would)|i may|its not too much trouble|it helps|thats ok|that helps|you have time)",
        r"(?:i )?(?:cant|cannot|couldnt|can not|could not|dont|hardly|barely) believe (?:it|that|you|my|this|how|your)?(?: (?:found it|eyes|actually found it))?|unbelievable",
        r"i never (?:thought|expected|believed|knew)(?: [\w-]+)*|never (?:thought|expected) [\w ]+|who would have thought|not only|why not(?= \w)|not a bad [\w-]+|no wonder|no joke|no kidding|not to mention|last but not least|believe it or not|like it or not|whether (?:we|you|i) like it or not|not gonna lie|cant wait|cant complain",
        r"(?:should|must|need to|have to|will|to|please|dont forget to|do you|did you|let us|lets|always|we) remember to|remember to|remember (?:this|that|it)(?: one)? for (?:me|later|next)|(?:you |you still )?remember (?:my|me)\b(?: [\w-]+)*|forgot to|forget to|should remember|do not forget|dont forget",
        r"stop(?:s|ped|ping) [\w-]+ing?|stop at random|(?:would|could|did|to|made it|make it|didnt|should|will|wont|cant) stop|non-?stop|stop (?:word|sign|condition|signal|token|codon|gap)s?|full stop|done with it by|well done|good enough|not enough|far enough|sure enough|strangely enough|funnily enough|oddly enough",
        r"how (?:can|do|could|would) you (?:be|know|tell|say|come)(?: [\w-]+)*|how (?:do|would) (?:we|i) know",
        r"(?:did|have) you (?:even |really |actually )?(?:search|searched|look|looked|check|checked|read|open|opened)(?: [\w-]+)* at all",
        r"on (?:a|an)(?:other| different| unrelated| side) note",
        r"(?:never ?mind|forget|ignore|skip|drop|leave) (?:about )?(?:the|all the|any) (?:others?|rest|remaining)(?: [\w-]+)?",
        r"yes or no|before i forget|yes and no<end>|no and yes|[\w-]+ enough(?= )",
        r"(?:whether or not|no matter|regardless of|whatever|even if|even though|apart from|aside from) (?:(?:the|it|what|who|how|that|when|why|they|he|she|i|we|this) ?)[\w ]*|regardless|scratch that",
        r"if there (?:was|is|were|be) (?:any|still any) (?:doubt|question)",
        r"as i said|like i said|as (?:mentioned|said)|earlier today|sooner or later|more or less|at the end of the day|in the end|the end of|forget(?:ful|s|ting)?<end>(?!)|if anything|what if anything|quite a (?:bit|lot)|a lot",
        r"no (?:offen[sc]e|rush|hurry|harm|problem|big deal|such|new|tests?|commits?|records?|results?|one|longer|less)\b",
        r"dont (?:stop|give up|quit|leave|close|end|cancel)(?: (?:it|yet|now|here|there|searching|looking|the [\w]+|this))*|do not (?:stop|give up|quit|cancel)|not (?:done|finished)(?: yet)?|(?:im|i am|were|we are) not (?:done|finished|giving up)(?: [\w]+)*|never (?:stop|give up)|no stopping",
        r"it was not me|it wasnt me|better late than never|now or never|later on|sooner rather than later|rather than|would rather|id rather|rather (?:good|nice|interesting|long|short|unlikely|likely)",
    ],
}

MOODS = {
    Mood.NEGATED: [
        r"not|dont|do not|doubt|hardly|isnt|is not|wasnt|arent|cant|cannot|couldnt|never|no longer|nowhere near|far from|doesnt|didnt|wont|neither|nor|no way|impossible(?: that)?",
    ],
    Mood.UNSURE: [
        r"maybe|perhaps|possibly|probably|might|(?:could|may|must|would|should|has to|gotta) (?:well |very well |just |also )?(?:be|have been)|seems?|seemed|looks? like|looked like|sounds? like|feels? like|i guess|not (?:\w+ )?(?:sure|certain|convinced|positive)|im not sure|unsure|uncertain"
        r"|(?:dont|do not) know(?: (?:if|whether))?|i wonder|wondering|hopefully|i hope|likely|(?:see|check|find out|tell|know|say|wonder) (?:if|whether)|either|hard to (?:say|tell)|if only|i wish|potentially|presumably|kind of|sort of|kinda|sorta|more or less|supposedly|allegedly|apparently|unclear|i suppose|could swear|half|almost|nearly|resembles|similar|close to|something like|was hoping|hoping|would say|might as well|lets say|lets assume|not necessarily|unlikely",
    ],
    Mood.CONDITION: [
        r"(?<!see )(?<!check )(?<!look )(?<!out )(?<!what )if|assuming|suppose|supposing|unless|provided|providing|in case|whether|(?<=^)say (?:thats|its|it is|that is|it was|that was)|imagine|pretend|as though|in the event (?:that|of)|lets assume|lets say|say it (?:is|was)|only when|once (?:i|we|you)"
    ],
    Mood.REPORTED: [
        r"(?!(?:i|who|what|that|it|and|as|he who)\b)(?:[\w-]+|<quoted>)(?: (?:always|just|once|only|then|also|never|had|has|would|even|already|later|still|might|may|will|actually))* (?:said|says|told (?:me|us|him|her|them|everyone|you|the [\w-]+)|tells|claimed|claims|claiming|thinks|thought|believes|believed|wrote|writes|writing|asked|asks"
        r"|mentioned|insisted|insists|swears|swore|shouted|shouts|yelled|replied|replies|answered|commented|suggests|suggested|reads|argued|declared|announced|screamed|goes|went like|was like)(?: that| to (?:me|us|him|her|them))?",
        r"according to (?:the )?[\w-]+|in (?:[\w-]+) opinion|quote|the (?:word|words|phrase|message|commit message|comment|title|string|text|error|label|button)(?: (?:is|was|says?|reads?|named|called|:))?(?= <quoted>)",
    ],
    Mood.CONTRAST: [
        r"but|however|though|although|except|only that|yet|still|on the other hand|even though|whereas|then again"
    ],
    Mood.QUESTION: [
        r"(?<=^)what if\b|(?<=^)(?:(?:and|so|but|ok|okay|well|hm|hmm|oh|wait|then|also|please|now|btw|by the way|interesting|thanks) )*(?:who|whos|whose|why|how|hows|whats|whens|wheres|whys)\b",
        r"(?<=^)(?:(?:and|so|but|ok|okay|well|hm|hmm|oh|wait|then|also|now|btw) )*(?:what|which)(?: [\w-]+)? (?:is|was|did|does|do|are|were|would|about|else|happened|made|has|had|can|could|will|should|came|caused|says?)\b",
        r"(?<=^)(?:(?:and|so|but|ok|okay|well|hm|hmm|oh|wait|then|also|now|btw) )*(?:when|where) (?:is|was|did|does|do|are|were|would|has|had|can|could|will|should|exactly)\b",
        r"(?<=^)(?:(?:and|so|but|ok|okay|well|hm|hmm|oh|wait|then|also|now|btw) )*(?:is|are|was|were|does|did|can|could|would|will|should|has|had|isnt|arent|wasnt|werent|doesnt|didnt|dont|hasnt|havent|couldnt|wouldnt) (?:it|that|this|these|those|there|he|she|they|we|you|i|the|anyone|someone|somebody|anybody|alice|bob|any|not)\b",
        r"(?<=^)(?:(?:and|so|but|ok|okay|well|hm|hmm|oh|wait|then|also|now|btw) )*do (?:you|we|i|they|these|those)\b|(?<=^)have (?:you|we|they)\b|(?<=^)(?:(?:please|can you|could you|ok|so|and|now) )*(?:explain|clarify|describe|tell me|remind me) (?:why|how|what|who|when|where|which|whether|<cited>|that part|more\b|the (?:reason|context|background|difference))|(?<=^)(?:please )?(?:more (?:about|on)|tell me (?:more )?about) (?:<cited>|that|this|it|the)|(?:i wonder|im wondering|any idea|do you know|tell me|can you tell me|id like to know|i want to know|i would like to know|curious) (?:who|what|why|when|where|how|which|if|whether)",
    ],
    Mood.REQUEST: [
        r"can (?:you|we|i)|could (?:you|we|i)|would (?:you|it be)|will you|may i|might i|please|pls|mind|is it possible|any chance|how about|what about|have you|did you|shall we|why dont (?:you|we)|why not|should we|do you want to|is there (?:a|any)|possible to|id like|i want|i need|let me"
    ],
    Mood.SUGGEST: [
        r"(?<=^)(?:(?:and|so|but|hm|hmm|no|or|well|oh|then|wait|what if|ok) )*(?:what about|how about|what of|wasnt (?:it|that|this|he|she)|isnt (?:it|that|this)|could (?:it|that|this) (?:be|have been)|might (?:it|that) (?:be|have been)|was it not|is it not|maybe|perhaps|(?:isnt|arent|wasnt|is|are) there (?:a|an|any|another|other|some|not)|are you sure (?:it|that|this) (?:isnt|wasnt|is not|was not)|or (?:was|is|rather|maybe|perhaps)|did you mean|do you mean|shouldnt it|should it not|couldnt it|didnt (?:it|that)|not|the|rather)"
    ],
    Mood.TAG: [
        r"(?:and |or )?(?:right|correct|yes|no|huh|eh|hm|isnt it|isnt that so|wasnt it|is it|was it|is it not|not|what|ok|okay|yeah|innit|dont you think|dont you agree|am i right|agreed|true|surely|maybe|perhaps|do you think|would you say|you think|or is it|or not)"
    ],
    Mood.MISTAKEN: [
        r"(?:thought|assumed|expected|believed|figured|suspected|was (?:sure|certain|convinced|going to say)|(?:would|id|i would) have (?:bet|said|sworn|guessed))(?! about| of\b)"
    ],
    Mood.DEIXIS: [
        r"it|its|that|this|thats|they|them|these|those|he|she|him|her|his|then|also|too|either|there|here|you|your|shown|above|<cited>|the (?:<rec>|story|quote|record|author|first|last|second|assistant)"
    ],
    Mood.REPAIR: [
        r"wait|actually|hold on|hang on|hmm*|hm|scratch that|sorry|i mean|oh|ah|no no|on second thought|my bad|correction"
    ],
    Mood.SELECT: [
        r"(?:the|that) (?:<rec>) (?:about|on|with|for|where|of)|(?:the|that|your) (?:[\w'-]+ ){1,5}?(?:<rec>|file|adr|branch)|i (?:meant|mean|want|was thinking)|(?:<its>|<thats>) (?:the|that|a|an|rather|not|more|actually)|what about|how about|try|take|rather|could it be|was it|wasnt it|is it|it must be|must be|its about|no|not|yes|yep|yeah"
    ],
}

SLIPS = {
    **dict.fromkeys(("teh", "hte", "th", "da"), "the"),
    **dict.fromkeys(("taht", "thta", "tht", "dat"), "that"),
    **dict.fromkeys(("thsi", "tihs", "ths", "dis"), "this"),
    **dict.fromkeys(("thx", "thanx", "tnx", "thnx", "thks", "thnks"), "thanks"),
    **dict.fromkeys(("smth", "sth", "sumthing"), "something"),
    **dict.fromkeys(("cuz", "bc", "coz", "cos", "becuase", "becasue"), "because"),
    **dict.fromkeys(("u", "yuo", "yu"), "you"),
    **dict.fromkeys(("nto", "nt", "ont"), "not"),
    "adn": "and",
    "jsut": "just",
    "waht": "what",
    "wat": "what",
    "wht": "what",
    "ur": "your",
    "idk": "i dont know",
    "dunno": "dont know",
    "imo": "i think",
    "afaik": "i think",
    "w/o": "without",
    "rn": "now",
    "abt": "about",
    "prob": "probably",
    "prolly": "probably",
    "rly": "really",
    "vry": "very",
    "shrter": "shorter",
    "wich": "which",
    "wehn": "when",
    "serach": "search",
    "seach": "search",
    "mabye": "maybe",
    "mayb": "maybe",
    "perhpas": "perhaps",
    "ealier": "earlier",
    "erlier": "earlier",
    "befor": "before",
    "diffrent": "different",
    "diferent": "different",
    "anohter": "another",
    "conversaton": "conversation",
    "comit": "commit",
    "commmit": "commit",
    "brach": "branch",
    "foget": "forget",
    "nevermnd": "nevermind",
    "intresting": "interesting",
    "intersting": "interesting",
}

LANGUAGE = Language(
    code="en",
    acts=ACTS,
    moods=MOODS,
    macros=MACROS,
    slips=SLIPS,
    marks="which these those such both each every during before above below down off again further once am does doing having im itd maybe perhaps someone something anything nothing everything always never already yet still even well right wrong sure done want need used using work works worked seems looks look check search try tried got no yes lets dont doesnt didnt isnt whats whos hows thats theres heres youre were theyre ive youve weve id youd wed the that this it is was were what who why how when where and or but not no yes you we i my our of in on with for to do does did have had"
    " thats its dont isnt about from there one please thanks look stop never mind just can could would should be a an if then earlier later as so up out than too very much more some any now me us them his her their he she they will wont cant im ive id ill let lets get got go give make show tell see know think mean remember said been list table short ok okay yeah yep nope hm good great nice cool because about into over after before again find found was wasnt were werent didnt our your been only same other another first last next which whose y n",
    spelled="exactly remember remembered shorter longer earlier later correct session conversation commit decision looking another different"
    " search enough thanks interesting forget never please translate summary before after question stopped nevermind definitely precisely"
    " summarize summarise recognize bullet detail details table quote quotes wrong searching yes",
    breaks=r"but|(?<!back )(?<!until )(?<!since )(?<!by )(?<!well )(?<!just )(?<!and )(?<!right )then|however|though|although|except that|and then|and now|whereas|because",
    common="the a an of to in on at for from by with and or not is are was were be been it its this that these those there here one ones thing things"
    " session sessions commit commits conversation conversations chat record records decision file files md about we i you he she they my our your his her their"
    " what who why how when where which so then than as if but no yes do does did have has had can could would should me us them up out into over after before"
    " other another same first second third last next old new earlier later lets let go back look please thanks just only also again more most some any all really"
    " actually meant mean think thought said say made make get got put take took show tell see need want line lines code folder branch docs doc adr pr issue",
)

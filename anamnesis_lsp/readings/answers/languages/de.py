"""German: the plain cases. Umlauts stand without their dots, as the comparable form has them, or spelled out."""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

from anamnesis_lsp.readings.answers.language import Act, Language, Mood

LANGUAGE = Language(
    code="de",
    macros={
        "rec": r"sitzung(?:en)?|session|gesprach|unterhaltung|commit|anderung|diskussion|entscheidung|thread|chat|pr|ticket|issue|stelle|sache|datei|zweig|branch",
        "place": r"<path>|doku\w*|docs?|wiki|branch(?:es)?|zweig\w*|ordner\w*|verzeichnis\w*|sitzung\w*|sessions?|chats?|gesprach\w*|transkript\w*|logs?|commits?|historie|prs?|issues?|tickets?"
        r"|repo\w*|notizen|archiv\w*|changelog|adrs?|stash|20\d\d|datei\w*",
        "of": r"(?:(?:den|die|das|der|dem|anderen?|alten|altere\w*|neue\w*|unsere\w*|meine\w*|auch|noch|mal|20\d\d|von|aus|[\w.-]+) ){0,4}?",
        "filler": r"(?:(?:bitte|jetzt|und|dann|kannst du|konntest du|ok|okay|so|mal|danke|noch|doch|also|ubrigens|nun) ?,? )*",
        "season": r"fruhling|fruhjahr|fruehling|sommer|herbst|winter|januar|februar|marz|maerz|april|mai|juni|juli|august|september|oktober|november|dezember|jahr|monat|woche",
    },
    acts={
        Act.IDENTIFY: [
            r"das (?:ist|war|wars|ists|ware) (?:ja |genau |exakt |wirklich )*(?:es|das|der|die|dasjenige)(?: gewesen| richtige)?",
            r"das (?:ist|war) (?:ja |genau )*(?:der|die|das) (?:richtige|<rec>)",
            r"das (?:wars|ists)(?! fur)|(?:ja )?(?:der|die) (?:ist|war) (?:es|das)",
            r"genau (?:das|der|die|den|dieser|diese|dieses|diesen)(?: (?:ist|war) es| wars| meinte ich| meine ich| suchte ich| habe ich gesucht| hab ich gesucht| <rec>)?",
            r"(?:das|die|den|der|danach) (?:meinte|suchte|meine|suche|hab|habe)(?: ich)?(?: (?:gemeint|gesucht))?(?: ich)?<end>",
            r"(?:ja )?(?:hast (?:es|ihn|sie) gefunden|du hast (?:es|ihn|sie) gefunden|gefunden|volltreffer|bingo|treffer)|ja (?:das|der|die|den|dieser|diese|dieses)<end>",
            r"ich erkenne (?:es|das|ihn|sie)(?: wieder)?",
        ],
        Act.YES: [r"ja+|jawohl|genau|richtig|exakt|stimmt|jep|jo|jup|korrekt|absolut|definitiv|eben|jawoll"],
        Act.NO: [r"nein|ne+|no|noe|nope|nicht doch"],
        Act.REJECT: [
            r"das (?:ist|war|wars)(?: es| der| die| das)? (?:aber |leider |doch |ganz bestimmt )?nicht(?: das| der| die| es| was ich (?:meinte|suche|suchte))?(?: richtige| gewesen)?",
            r"nicht (?:das|der|die|dieser|diese|dieses|den|diesen)(?: da| hier)?<end>|(?:der|die|das) (?:ist|war) es nicht|nein das nicht",
            r"falsch(?:e[rs]?)?<end>|falscher treffer|kein(?:er|es|e) davon|stimmt (?:so )?nicht|uberhaupt nicht|ganz falsch|nicht was ich (?:meinte|suche|suchte)|sagt mir nichts|kenne ich nicht",
        ],
        Act.CORRECT: [
            r"(?:viel |etwas |noch |weiter |deutlich |ein bisschen )*(?:fruher|frueher|spater|spaeter|alter|aelter|junger|juenger|neuer)(?: als [\w-]+(?: [\w-]+)?)?|davor|danach|vorher|nachher|weiter zuruck",
            r"(?:der|die|das|den|dem) (?:andere|vorige|vorherige|nachste|letzte|zweite|dritte|spatere|fruhere|altere|neuere)[nrsm]?(?: [\w-]+)?|(?:der|die|das|den) (?:davor|danach|mit|von|uber) [\w-]+",
            r"nicht (?!sicher|schlecht|mehr|notig|wichtig|so|jetzt|ganz)[\w-]+(?: [\w-]+)?|sondern [\w-]+(?: [\w-]+)?",
            r"ein(?:e[nrsm]?)? (?:ganz )?andere[rsnm]?(?: [\w-]+)?|was anderes<end>|jemand anders?|wo ?anders",
            r"(?:ich )?(?:meinte|meine|suche|suchte)(?: ich)? (?=(?:den|die|das|eher|doch|etwas))",
            r"fast|beinahe|nicht ganz|knapp daneben|nah dran|zu (?:neu|alt|fruh|spat|frisch|weit)|eher [\w-]+|stattdessen|statt [\w-]+|falsche[rsn]? (?:<rec>|[\w-]+)",
        ],
        Act.SHIFT: [r"(?<=^)(?:nein |noch |kurz |eher |das war )*(?:vor|nach) (?:dem|der|den|unserem|unserer) [\w-]+"],
        Act.PLACE: [
            r"(?:schau|schaue|guck|gucke|such|suche|sieh|lies|pruf|prufe|check|checke|durchsuch|durchsuche|probier|probiere|versuch|versuche|nimm)(?: (?:doch|mal|bitte|auch|noch|lieber))* (?:(?:in|im|auf|unter|bei|an|durch|es|nach|mit) )*<of><place>(?: (?:nach|durch|an))?",
            r"(?<=^)(?:(?:vielleicht|eventuell|versuchs|auch|nur|oder|und|steht|bestimmt|wohl) )*(?:in|im|unter|auf) <of><place>",
            r"(?:konnte|konnt|musste|sollte|durfte)(?: (?:das|es|auch))* (?:in|im|unter) <of><place>(?: (?:sein|stehen|liegen))?|hast du (?:schon |auch )?(?:in|im) <of><place>|was ist mit <of><place>",
        ],
        Act.WIDER: [
            r"(?:durchsuche?|such\w*|lies|schau\w*)(?: (?:auch|mal|bitte|in|im|den|die|das|der|dem|alle|allen))* (?:volltext\w*|(?:ganze|vollstandige|gesamte)[nrs]? (?:text\w*|historie|verlauf|repo\w*|gesprache?)|andere[nr]? (?:branches|zweigen?|repos?|ordnern?))(?: der \w+| durch)*|such(?:e)? (?:weiter|uberall|alles|mehr|tiefer)|weiter ?suchen|uberall(?: suchen)?|erweiter\w*(?: die suche)?|such noch ?mal|alles durchsuchen"
        ],
        Act.ADMIT: [
            r"mach(?: (?:das|mal|es|ruhig|nur|bitte|weiter))*|los(?: gehts)?|bitte|gerne?|ok|okay|einverstanden|nur zu|von mir aus|in ordnung|klar|sicher|warum nicht|tu das|leg los|meinetwegen|passt|👍"
        ],
        Act.DECLINE: [
            r"(?:nein|ne|no) danke|danke nein|lieber nicht|(?:ist )?nicht notig|nicht jetzt|(?:das )?(?:ist |dauert )?(?:mir )?zu (?:lang|lange|teuer|langsam|viel|aufwendig)|(?:das )?lohnt (?:sich )?nicht|spater|muss nicht sein|besser nicht|brauchts nicht"
        ],
        Act.END: [
            r"vergiss (?:es|das)|(?:hat sich |ist )?erledigt|(?:ist )?egal|schon gut|lass(?: (?:es|gut sein|mal|das|stecken|uns aufhoren|gut))+|stop+|halt<end>|hor(?:e)? auf|aufhoren|abbrechen|abbruch|brich ab|(?:das )?reicht(?: (?:mir|jetzt|so|danke))*|genug(?: davon)?|fertig"
            r"|(?:ist )?nicht (?:mehr )?(?:so )?(?:wichtig|notig|relevant)|spielt keine rolle(?: mehr)?|ich geb(?:e)? auf|(?:das |es )?brauch(?:e)? (?:ich )?(?:es |das )?nicht mehr|das wars fur (?:heute|jetzt)|beende\w*(?: (?:das|die suche|es))?|schluss(?: jetzt| damit)?|macht nichts|danke das wars|wir konnen aufhoren|nein danke",
        ],
        Act.FORM: [
            r"(?:(?:bitte|viel|etwas|noch|es|das|mach|schreib|sag|ein|bisschen|mal|geht|auch) )*(?:kurzer|kuerzer|langer|laenger|ausfuhrlicher|knapper|einfacher|genauer|detaillierter|ubersichtlicher)(?: (?:bitte|fassen))*",
            r"(?:mehr|weniger) (?:details?|text|kontext)|als (?:liste|tabelle|stichpunkte)|auf (?:deutsch|englisch|franzosisch)(?: bitte)?|der reihe nach|chronologisch|nach (?:zeit|datum|autor)(?: sortiert)?|ohne (?:die )?(?:zitate|daten|details|namen)|in einem satz|zusammenfass\w*|fass(?:e)? (?:es |das )?(?:bitte )?zusammen|noch ?mal(?: bitte)?|stichpunkte|neueste zuerst|zeig(?:e)?(?: mir)? (?:das|den|die) (?:zitat|diff|text|ganze\w*)(?: [\w]+)?|nicht so (?:lang|ausfuhrlich)|zu lang",
        ],
        Act.REMARK: [
            r"(?:(?:sehr|echt|wirklich|das ist|das war|ziemlich|ganz|ja|oh|na|ach) )*(?:interessant|danke(?: (?:schon|dir|sehr|vielmals))?|vielen dank|ok|okay|aha|ach so|verstehe|verstanden|krass|cool|super|toll|gut|schon|hm+|soso|na ?ja|macht sinn|klar|spannend|witzig|lustig|wow|seltsam|komisch|prima|stark|gut zu wissen|perfekt)",
            r"keine ahnung|weiss (?:ich )?nicht(?: mehr)?|vielleicht|kann sein|moglich(?:erweise)?|konnte (?:es |das )?sein|hallo|moment(?: mal)?|warte|das hatte ich vergessen|mehr weiss ich nicht|👍|😀|😂|🤔",
        ],
        Act.CUE: [
            r"(?:es|wir|ich|er|sie|da|man|jemand) (?:war|waren|hatte|hatten|wurde|ging|haben|habe|hat|sprachen|redeten|gab|kam)|(?:irgend)?(?:was|etwas) (?:mit|uber|zu)|hatte (?:was |etwas )?mit|ich (?:glaube|meine|erinnere|denke)",
        ],
        Act.HINT: [
            r"(?:im|letzte[nsrm]?|vorige[nsrm]?|diese[nsrm]?|anfang|ende|mitte) (?:<season>)|vor \w+ (?:monaten|jahren|wochen|tagen)|20\d\d|(?<=^)(?:mit|von|bei|wegen|um|vor|nach|wahrend|als) [\w-]+|gestern|damals|[\w-]+ (?:war|waren|hatte|wollte|sagte)",
        ],
        Act.RECALL: [
            r"(?:hatten|haben|hat|hatte|gab|war|waren|wollten|sollten) (?:wir|es|ich|da|jemand|das|dafur|man)(?: (?:da|dafur|das|nicht|mal|einen|eine|ein|schon|einmal|doch|irgendwann|irgendwo|irgendwie|so))+",
            r"da war(?: doch| mal| noch| was)+|erinner\w*(?: du)? (?:dich|mich|euch)|weisst du noch|weiss noch jemand|ich erinnere mich|irgend ?(?:wann|wo|wer|jemand|was)(?: mal)?|damals|wie war das|was war (?:das|noch|nochmal)(?: fur)?|war da nicht|gab es da nicht"
            r"|ich meine mich zu erinnern|komme? (?:ich )?nicht (?:mehr )?drauf|(?:letzte[nsrm]?|vorige[nsrm]?) (?:<season>)|vor (?:ein paar|einigen|\w+) (?:monaten|jahren|wochen)|es gab (?:mal |da |doch )*(?:einen|eine|ein)|ich (?:weiss|habe) (?:nicht mehr|vergessen)|liegt mir auf der zunge|wir hatten (?:mal |doch |da )*(?:einen|eine|ein)|es gab da|gab es (?:nicht|da)|ich weiss noch",
        ],
        Act.WHY: [
            r"(?:warum|wieso|weshalb) (?:haben|hatten|ist|war|gibt|hat|wurde|machen|steht)|wer hat|wann (?:haben|hat|war|wurde|wurden)|was haben wir|wo haben wir|welcher (?:commit|chat)"
        ],
        Act.SWITCH: [
            r"(?:was|etwas) (?:ganz )?anderes(?! ist)|anderes thema|andere frage|themenwechsel|neue suche|hat nichts damit zu tun"
        ],
        Act.OTHER: [
            r"(?:die|das|der|diese|dieses|jene) andere[ns]? (?:sache|ding|thema|geschichte|frage|entscheidung|diskussion)|noch eine (?:sache|frage|geschichte)"
        ],
        Act.ASIDE: [r"ubrigens|uebrigens|ausserdem|nebenbei|apropos|noch was|und noch|jetzt|auch"],
        Act.RETURN: [
            r"zuruck zu[rm]?|weiter mit|wie war das mit|was ist mit|was war mit|wieder zu[rm]?|und nun zu[rm]?|lieber"
        ],
        Act.WORK: [
            r"(?<=^)<filler>(?P<hit>reparier\w*|repariere|fix\w*|schreib(?:e)?|bau(?:e)?|implementier\w*|losch\w*|andere|benenn\w*|starte?|teste?|commit\w*|push\w*|refaktor\w*|refactor\w*|erstell\w*|fug(?:e)?|mach (?:einen|ein|eine|die|das) \w+"
            r"|aktualisier\w*|installier\w*|entfern\w*|deploy\w*|ubersetz\w* (?:diesen|die|den)|korrigier\w*|erganz\w*|fuhr(?:e)?|lass (?:den|die|das) \w+ laufen|setz(?:e)?|merge)(?= )",
            r"ich muss (?:jetzt )?(?:los|weg|essen|arbeiten|weiter)|(?:der|die) (?:build|tests?|ci) (?:ist|sind|schlagt|geht) [\w-]+",
        ],
        Act.WORK_QUESTION: [
            r"wie (?:kann|mache|installiere|schreibe|soll|geht|bekomme) (?:ich|man)|wie spat|wieviel uhr|was ist ein(?:e)? |wie wird das wetter"
        ],
        Act.OPEN_RECORD: [
            r"(?:offne|zeig|zeige|lies)(?: mir)?(?: (?:den|die|das))?(?: (?:commit|datei|sitzung))* (?:<hash>|<path>)|(?<=^)(?:commit )?(?:<hash>|<path>)<end>"
        ],
        Act.NEUTRAL: [
            r"nicht dass (?:es|das) (?:wichtig|wichtig ware|eine rolle spielt)(?: [\w]+)?|(?:kein|ohne) zweifel|zweifellos|wenn (?:ich mich (?:recht|richtig) (?:erinnere|entsinne)|ich mich nicht irre|moglich)|nicht schlecht|hor nicht auf|nicht aufhoren|denk daran|vergiss nicht",
        ],
    },
    moods={
        Mood.NEGATED: [r"nicht|kein\w*|nie|kaum|bezweifle|glaube nicht"],
        Mood.UNSURE: [
            r"vielleicht|eventuell|moglicherweise|wahrscheinlich|vermutlich|konnten?|scheint|wohl|nicht (?:ganz )?sicher|unsicher|sieht (?:so )?aus|weiss nicht"
        ],
        Mood.CONDITION: [r"wenn|falls|sofern|angenommen|ob|gesetzt"],
        Mood.REPORTED: [
            r"(?!(?:ich|das|es|den|die|der|wer|was|danach)\b)[\w-]+ (?:sagte|meinte|schrieb|sagt|meint|fragte|behauptete?|rief|dachte|denkt|glaubt)(?: dass)?|laut [\w-]+"
        ],
        Mood.CONTRAST: [r"aber|jedoch|allerdings|nur dass|obwohl"],
        Mood.QUESTION: [
            r"(?<=^)(?:(?:und|aber|so|also|ok|hm|danke|interessant) )*(?:wer|wann|warum|wieso|weshalb|woher|wo (?:ist|war|steht|hast|haben)|welche[rsnm]?|wie (?:war|ist|hat|viele?|lange|kam|sicher|kommt)|was (?:ist|war|hat|haben|meint|meinte|bedeutet|steht|genau)|ist (?:das|es|der)|war (?:das|es|der)|hat (?:er|sie|es|das)|gilt das|kann(?:st)? (?:du|ich|man))\b"
        ],
        Mood.REQUEST: [r"kannst du|konntest du|konnen wir|bitte|hast du|geht (?:das|es)|darf ich|wurdest du|magst du"],
        Mood.SUGGEST: [
            r"(?<=^)(?:(?:und|oder|hm|nein) )*(?:wars? (?:es|das|er|sie)? ?nicht|ist (?:es|das) nicht|vielleicht|was ist mit|konnte (?:es|das)|oder war|meinst du|oder die|oder der)"
        ],
        Mood.TAG: [r"oder(?: nicht)?|nicht(?: wahr)?|stimmts|richtig|ja|gell|ne|oder doch nicht"],
        Mood.DEIXIS: [r"das|es|der|dies\w*|er|sie|dort|da|auch|dann|du|hier|<cited>"],
        Mood.REPAIR: [r"moment|warte|halt|doch|ah|ach|hm+|oh"],
        Mood.SELECT: [
            r"(?:der|die|das|den) [\w-]+|ich (?:meinte|meine)|was ist mit|nein|ja|das (?:war|ist)|es (?:war|ist)"
        ],
    },
    marks="als am an auch aus bei bin bis bist da damals damit dann das dass dein deine dem den denn der des dich die dies diese dieser dieses dir doch dort du durch eben eher ein eine einem einen einer eines einfach er erst es etwas euch euer falsch falsche fur ganz gar gefunden genau gerade gern gestern gewesen gibt gut habe haben halt hast hat hatte hatten heute hier hinter ich ihm ihn ihr immer irgend irgendwer irgendwie irgendwann ist ja jede jemand jetzt kann kannst kein keine konnen konnte letzte letzten letztes mach machen mal man mehr mein meine meinte mich mir mit muss nach nachste nein nicht nichts nie noch nun nur ob oder ohne schau schon sehr sei sein seit sich sie sind sitzung soll sollte sondern spater statt stichpunkten such suche uber um und uns unser unter viel vielleicht vom von vor wann war waren warum was weg weil weiter welche wem wenn wer werden wie wieder wir wird wo wohl wollte wurde zu zum zur zuruck zwei zweite zweiten losch liste bitte danke reicht kurz lang in an der die das und nicht ist war ja nein ich wir mit dem den ein eine es bitte danke wer wann warum wo auf fur von im zu kurzer schau such genau vergiss egal lass mach wenn aber oder noch mal"
    " hatten haben hat gab dafur hier da sie er kein falsch frueher fruher spater lieber schreib reparier schon auch andere anderes stimmt richtig interessant gerne konnte sein bin mir kurzer genug halt doch erinnerst wieder",
    breaks=r"aber|sondern|jedoch|allerdings|obwohl|und dann|und jetzt",
    common="der die das den dem des ein eine einen einer und oder nicht ist war im in an auf zu von mit fur es wir ich er sie was wer wie wo wann warum mal doch noch auch so da hier sitzung session commit gesprach datei",
)

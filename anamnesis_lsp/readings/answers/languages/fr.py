"""French: the plain cases. Accents and apostrophes are dropped, as the comparable form has them ("c'est" is "cest")."""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

from anamnesis_lsp.readings.answers.language import Act, Language, Mood

LANGUAGE = Language(
    code="fr",
    macros={
        "rec": r"session|conversation|commit|changement|discussion|decision|fil|chat|pr|ticket|fichier|branche|reunion|echange",
        "place": r"<path>|docs?|documentation|wiki|branches?|dossiers?|repertoires?|sessions?|chats?|conversations?|transcriptions?|logs?|journaux|commits?|historique|prs?|issues?|tickets?|depots?|repos?|notes?|fichiers?|changelog|adrs?|stash|20\d\d|archives?",
        "of": r"(?:(?:le|la|les|lautre|autres?|des|du|de|dans|aussi|nos|notre|mes|vieux|anciens?|anciennes?|20\d\d|[\w.-]+) ){0,4}?",
        "filler": r"(?:(?:sil te plait|sil vous plait|stp|maintenant|et|puis|alors|peux-tu|tu peux|pourrais-tu|ok|bon|merci|aussi|bien),? )*",
        "cest": r"cest|cetait|ce fut|voila|ca cest",
        "season": r"printemps|ete|automne|hiver|janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|annee|an|mois|semaine|noel",
    },
    acts={
        Act.IDENTIFY: [
            r"<cest> (?:bien |exactement |precisement |justement |tout a fait )*(?:ca|celui-la|celle-la|celui-ci|celle-ci|cela|lui|elle|le bon|la bonne|(?:la|le|cette|ce) <rec>)(?= |$|[.!])(?! que je ne)",
            r"<cest> (?:exactement |precisement |bien )*(?:ce|celui|celle) (?:que|a quoi|dont) (?:je (?:cherchais|voulais|pensais|parlais|cherche)|javais en tete)(?: dire)?|exactement (?:ca|celui-la|celle-la)|oui (?:ca|celui-la|celle-la|celui-ci|celle-ci)|tu (?:las|as) trouve(?:e)?|trouve<end>|bingo|je (?:la|le) reconnais|(?:celui|celle)-la meme|voila<end>",
        ],
        Act.YES: [
            r"oui+|ouais|ouaip|exactement|exact|tout a fait|correct|cest exact|absolument|precisement|effectivement|en effet|bien sur|si si|voila"
        ],
        Act.NO: [r"non+|nan|nope|pas du tout"],
        Act.REJECT: [
            r"(?:ce )?(?:nest|netait|cest|cetait) pas (?:du tout |vraiment )?(?:ca|celui-la|celle-la|cela|celui-ci|celle-ci|lui|elle|le bon|la bonne|ce que je (?:cherche|cherchais|voulais)(?: dire)?|(?:la|le) <rec>)|pas (?:ca|celui-la|celle-la|celui-ci|celle-ci)(?: non plus)?<end>|mauvais(?:e)? (?:reponse|piste)|faux<end>|incorrect|aucun(?:e)?(?: de (?:ceux-la|celles-la))?|ca ne me dit rien|rien a voir|je ne crois pas|je ne (?:la|le) reconnais pas",
        ],
        Act.CORRECT: [
            r"(?:bien |beaucoup |un peu |encore )*(?:plus (?:tot|tard|ancien|recent|vieux|loin)|avant|apres|anterieur|posterieur)(?: (?:que )?(?:ca|cela))?",
            r"(?:lautre|le precedent|la precedente|le suivant|la suivante|le deuxieme|la deuxieme|le second|la seconde|le dernier|la derniere)(?: [\w-]+)?|(?:celui|celle|ceux) (?:de|davant|dapres|avec|sur|ou|du|qui)(?: [\w-]+)*|(?:un|une|le|la|d) ?autre(?: <rec>| personne)?|autre chose<end>|quelquun dautre",
            r"pas (?!sur|mal|maintenant|besoin|grave|si|la peine|vraiment|encore|important|tout)[\w-]+(?: [\w-]+)?|mais plutot [\w-]+|plutot (?:que )?[\w-]+(?: [\w-]+)?|au lieu de [\w-]+|je (?:parlais|voulais parler|pensais) (?:de|du|a)(?= )|je voulais dire|presque|pas tout a fait|pas exactement|trop (?:recent|ancien|tot|tard|vieux)|mauvais(?:e)? (?:<rec>|[\w-]+)",
        ],
        Act.SHIFT: [
            r"(?<=^)(?:non |juste |cetait |plutot )*(?:avant|apres) (?:le|la|les|lautre|notre|que|[\w-]+) ?[\w-]*(?: [\w-]+)*"
        ],
        Act.PLACE: [
            r"(?:regarde|regardez|cherche|cherchez|verifie|verifiez|essaie|essaye|consulte|fouille|va voir|lis|jette un oeil|inspecte)(?: (?:aussi|plutot|bien|encore|un peu|voir))* (?:(?:dans|sur|sous|du cote|a|parmi|en) )*<of><place>",
            r"(?<=^)(?:(?:peut-etre|aussi|seulement|ou|et|surement|sans doute) )*(?:dans|sur|sous) <of><place>|(?:ca |cela |il )?(?:pourrait|peut|devrait|doit) (?:etre|se trouver)(?: \w+)? (?:dans|sur|sous) <of><place>|(?:as-tu|tu as) (?:regarde|cherche|verifie)(?: \w+)? (?:dans )?<of><place>|et (?:dans )?(?:le|la|les) <place>",
        ],
        Act.WIDER: [
            r"(?:cherche|regarde|lis|fouille)(?: (?:aussi|dans|le|la|les|tout|toute|toutes|tous))* (?:texte (?:integral|complet|entier)|lhistorique(?: complet| entier)?|historique complet|autres (?:branches|depots)|branches)(?: des? (?:les )?\w+)?|cherche (?:partout|encore|plus loin|plus large|tout|ailleurs)|continue (?:a|de) chercher|elargi\w*(?: la recherche)?|partout"
        ],
        Act.ADMIT: [
            r"vas-?y|allez-y|allez|daccord|ok|okay|fais-le|fais ca|je veux bien|bien sur|volontiers|pourquoi pas|ca marche|avec plaisir|(?:oui )?sil te plait|(?:oui )?sil vous plait|stp|entendu|continue|lance|👍"
        ],
        Act.DECLINE: [
            r"non,? merci|merci,? non|(?:ce )?(?:nest |cest )?pas la peine|pas maintenant|plus tard|trop (?:long|cher|lent)|ca ne vaut pas (?:la peine|le coup)|pas besoin|inutile|plutot pas|il vaut mieux pas"
        ],
        Act.END: [
            r"laisse(?:z)?(?: (?:tomber|ca|beton))|laisse<end>|oublie(?:z)?(?: (?:ca|cela|tout))?<end>|tant pis|peu importe|arrete(?:z)?(?:(?: de chercher| tout| la| ici| maintenant)*)<end>|stop|ca suffit|cest (?:bon|assez|tout)(?: comme ca| merci| pour aujourdhui)?<end>|assez|annule(?:r)?|jabandonne|termine|fini|on arrete(?: la)?|on peut (?:arreter|sarreter)(?: la)?|(?:ce )?(?:nest |cest )?(?:plus|pas) (?:si |tres )?(?:important|grave|necessaire)|ca na (?:plus|pas) dimportance|je (?:nen|nai) (?:ai )?plus besoin|non,? merci|ca ira",
        ],
        Act.FORM: [
            r"(?:(?:un peu|beaucoup|bien|fais|version|encore|en) )*plus (?:court(?:e)?|bref|breve|long(?:ue)?|simple|detaille(?:e)?|concis|clair)(?: (?:sil te plait|stp|sil vous plait))*|plus de details?|moins de details?|(?:en|sous forme de|comme une?) (?:liste|tableau|puces)|en (?:francais|anglais|allemand|espagnol)|par ordre(?: (?:chronologique|de date))?|dans lordre(?: chronologique)?|chronologiquement|par (?:date|auteur)|sans (?:les )?(?:citations|dates|details)|resume\w*|en une phrase|repete\w*|encore une fois|le plus recent dabord|trop long|pas si long|montre(?:-moi)? (?:la citation|le texte|le diff)(?: \w+)?",
        ],
        Act.REMARK: [
            r"(?:(?:tres|cest|ah|oh|bien|vraiment|quelle?|que|ok|bon) )*(?:interessant|merci(?: (?:beaucoup|bien))?|ok|okay|daccord|je vois|je comprends|compris|super|bien|bon|genial|cool|parfait|curieux|bizarre|drole|tiens|hm+|ah+|oh+|bah|wow|logique|ca se tient|bien joue|chouette|incroyable|impressionnant)|(?:je ne )?sais pas|aucune idee|peut-etre|possible|bonjour|salut|attends|un instant|je ne (?:men souviens|me souviens) plus|javais oublie|👍|😀|😂|🤔",
        ],
        Act.CUE: [
            r"(?:cetait|il y avait|il y a eu|on avait|nous avions|on a|nous avons|on etait|il etait|elle etait|ca avait|ca parlait)(?: [\w-]+)?|(?:quelque chose|un truc|une histoire) (?:avec|sur|de|a propos|comme|du)|a voir avec|je (?:crois|me souviens|pense|me rappelle)(?: (?:que|de))?",
        ],
        Act.HINT: [
            r"(?:au|en|le|la|a la fin de|debut|fin|vers|pendant|lete|lhiver|lautomne) (?:<season>)?(?: derni(?:er|ere))?|(?:<season>) derni(?:er|ere)|il y a (?:\w+ )*(?:mois|ans|semaines|jours)|20\d\d|hier|(?<=^)(?:avec|par|pour|pendant|quand|lors|a propos|autour) [\w-]+|[\w-]+ (?:etait|avait|voulait|disait)"
        ],
        Act.RECALL: [
            r"(?:on|nous|il|tu|je|vous|ny|y) ?(?:na|navait|navions|avait|avions|navons|avons|naurait)?(?:-(?:on|il|nous|t-on))?(?: \w+)? ?pas (?:une?|deja|de|eu|dit|decide|discute|fait|parle|utilise|essaye)(?: [\w-]+)*|ny avait-il pas|il y avait (?:une?|pas|des) (?:\w+ )?(?:raison|discussion|decision|conversation)|(?:tu te )?souviens|te rappelles|rappelle-moi|je me (?:souviens|rappelle)|un jour|a un moment|la fois ou|il y a (?:longtemps|\w+ (?:mois|ans|semaines|temps))|(?:le|lan|lete|lhiver)? ?(?:<season>) derni(?:er|ere)|cetait quoi|comment (?:sappelait|cetait)|ce truc|cette (?:histoire|fois|discussion|conversation)|quelquun (?:avait|a) (?:dit|decide|propose)|sur le bout de la langue|on avait (?:une?|de bonnes) (?:\w+ )?raisons?|jai oublie (?:pourquoi|qui|quand)|je jurerais",
        ],
        Act.WHY: [
            r"pourquoi (?:on|avez|ont|avons|avions|est-ce|a-t-on|cest|a|ce|cette|avoir|nous)|qui (?:a|avait) (?:decide|ecrit|fait|dit|ajoute|propose|mis|supprime)|quand (?:est-ce|avons|a-t-on|on)|quest-ce quon (?:avait|a) decide|ou (?:en|avons|avait-on)"
        ],
        Act.SWITCH: [r"autre (?:chose|sujet|question)(?! <end>)|rien a voir|changeons de sujet|sujet different"],
        Act.OTHER: [r"lautre (?:chose|truc|histoire|sujet|discussion|decision|affaire|question)|cette autre \w+"],
        Act.ASIDE: [r"au fait|dailleurs|a propos|en passant|aussi|maintenant|encore une chose"],
        Act.RETURN: [
            r"rev(?:enons|iens|enir)(?: (?:a|au|aux|sur))?|reprend\w*|reprenons|retour (?:a|au)|continuons avec|et (?:le|la|les)|quen est-il de"
        ],
        Act.WORK: [
            r"(?<=^)<filler>(?P<hit>corrige\w*|repare\w*|ecris|ecrire|ajoute\w*|execute\w*|lance (?:les|le|la)|cree\w*|supprime\w*|efface\w*|change\w*|renomme\w*|implemente\w*|refactorise\w*|installe\w*|deploie\w*|pousse\w*|fais (?:un|une|le|la)|mets|genere\w*|modifie\w*|compile\w*|enleve\w*|traduis (?:cette|ce)|ouvre une?)(?= )",
            r"je dois (?:y aller|partir|manger|travailler)|(?:le|la|les) (?:build|tests?|ci) (?:est|sont|echoue\w*|ne) ?[\w ]*",
        ],
        Act.WORK_QUESTION: [r"comment (?:puis-je|je|on|faire|installer|ecrire)|quelle heure|quest-ce quun"],
        Act.OPEN_RECORD: [
            r"(?:ouvre|montre|montre-moi|affiche|lis)(?: (?:le|la))?(?: (?:commit|fichier|session))* (?:<hash>|<path>)|(?<=^)(?:commit )?(?:<hash>|<path>)<end>"
        ],
        Act.NEUTRAL: [
            r"(?:ce )?nest pas que ca (?:ait|compte|importe)[\w ]*|sans (?:aucun )?doute|pas de doute|aucun doute|si (?:je me souviens bien|je ne me trompe(?: pas)?|jai bonne memoire|possible|tu peux|tu veux bien)|pas mal|narrete pas|continue|noublie pas|souviens-toi de|pourquoi pas"
        ],
    },
    moods={
        Mood.NEGATED: [r"pas|jamais|nest|doute|non plus"],
        Mood.UNSURE: [
            r"peut-etre|possible(?:ment)?|probablement|sans doute|on dirait|semble|pourrait|pas (?:sure?|certaine?)|je ne sais pas|ca ressemble"
        ],
        Mood.CONDITION: [r"si(?= (?!si)[a-z])|sil(?= (?!te|vous))|supposons|a moins que|au cas ou|en supposant"],
        Mood.REPORTED: [
            r"(?!(?:je|qui|que|ca|quoi)\b)[\w-]+ (?:a dit|dit|disait|a ecrit|ecrivait|pense|pensait|demande|a demande|crie|repondit)(?: que)?|selon [\w-]+|dapres [\w-]+"
        ],
        Mood.CONTRAST: [r"mais|cependant|pourtant|sauf que|bien que"],
        Mood.QUESTION: [
            r"(?<=^)(?:(?:et|mais|ok|bon|alors|donc|interessant|merci|ah) )*(?:qui|quand (?:est|etait|cela|a)|ou (?:est|etait|se|as)|pourquoi|que (?:dit|veut|signifie)|quest-ce|quel(?:le)?s?|comment|est-ce|etait-ce|a-t-il|est-il|as-tu)\b"
        ],
        Mood.REQUEST: [r"peux-tu|tu peux|pourrais-tu|pouvez-vous|on peut|sil te plait|stp|as-tu|tu as|puis-je|veux-tu"],
        Mood.SUGGEST: [
            r"(?<=^)(?:(?:et|ou|hm|mais|non) )*(?:(?:ce )?netait(?:-ce)? pas|cetait pas|peut-etre|et si|et (?:le|la)|ca pourrait|lautre)"
        ],
        Mood.TAG: [r"non|oui|pas vrai|hein|nest-ce pas|cest ca|correct|ou pas|ou non"],
        Mood.DEIXIS: [r"ca|cela|ce|cette|celui\S*|celle\S*|il|elle|la|le|les|aussi|ici|tu|<cited>"],
        Mood.REPAIR: [r"attends|attendez|ah|oh|en fait|un instant|pardon|hm+"],
        Mood.SELECT: [
            r"(?:le|la|les|lautre) [\w-]+|celui|celle|je (?:parlais|voulais dire|pensais)|non|oui|cest|cetait"
        ],
    },
    marks="resume a ai alors apres as assez au aucun aussi autre autres aux avaient avais avait avant avec avez avoir avons bien bon c ca car ce ceci cela celle celui ces cest cet cetait cette ceux chez comme comment d dans de deja depuis des deux dire dis dit donc du elle elles en encore entre es essaie est et etaient etait etre eu fait faire faut fois font forme ici il ils j jai je juste l la le les leur liste lui ma mais me meme merci mes mieux moi mon n ne ni non nos notre nous on ont ou par parce pas peu peut plus pour pourquoi pres puis qu quand que quel quelle quelquun qui quoi s sa sans se sera ses si sinon soit son sont sous suis sur ta te tes toi ton tous tout tres trop tu un une va vers voila voir vois vos votre vous vraiment y nest netait quest oublie en a de le la les des du et ne pas est cest cetait ca oui non je tu nous on avec dans pour une un plus mais merci qui quand pourquoi ou que quoi cette ce celui celle regarde cherche laisse tomber arrete"
    " avant apres vas-y vas avait raison court exactement daccord corrige ecris interessant nest netait peux sil plait avons-nous souviens au aux lautre autre comment tant pis oublie assez vois",
    breaks=r"mais|sauf que|et puis|et maintenant|cependant",
    common="le la les un une des du de et ou a au aux en dans sur pour par avec ce cette ces il elle on nous je tu est cest pas que qui session commit conversation fichier decision changement",
)

"""Portuguese: the plain cases. Accents are dropped, as the comparable form has them ("não" is "nao", "é" is "e")."""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

from anamnesis_lsp.readings.answers.language import Act, Language, Mood

LANGUAGE = Language(
    code="pt",
    macros={
        "rec": r"sessao|conversa|commit|mudanca|discussao|decisao|thread|chat|pr|ticket|registro|arquivo|ficheiro|branch|reuniao",
        "place": r"<path>|docs?|documentacao|wiki|branch(?:es)?|ramos?|pastas?|diretorios?|sessoes?|sessao|chats?|conversas?|transcricoes|logs?|registros?|commits?|historico|prs?|issues?|tickets?|repos?|repositorios?|notas|arquivos?|ficheiros?|changelog|adrs?|stash|20\d\d",
        "of": r"(?:(?:o|a|os|as|outro|outra|outros|outras|de|do|da|dos|das|em|no|na|nos|nas|tambem|noss\w+|meus?|minhas?|antig\w+|20\d\d|[\w.-]+) ){0,4}?",
        "filler": r"(?:(?:por favor|agora|e|entao|voce pode|pode|poderia|ok|bom|obrigad[oa]|tambem|depois),? )*",
        "this": r"ess[ea]s?|est[ea]s?|isso|isto|aquel[ea]s?|aquilo",
        "season": r"primavera|verao|outono|inverno|janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|ano|mes|semana|natal",
    },
    acts={
        Act.IDENTIFY: [
            r"(?:e|era|foi) (?:exatamente |justamente |mesmo )?(?:<this>)(?: mesm[oa])?(?: (?:ai|<rec>))?(?: que (?:eu )?(?:procurava|queria|lembrava))?(?= *$|[.! ])",
            r"(?:e|era|foi) (?:exatamente |justamente )?(?:o|a) que (?:eu )?(?:procurava|queria|estava procurando|lembrava|tinha em mente|buscava)|isso mesmo|exatamente (?:<this>)|(?:sim )<this>(?: <rec>| mesm[oa])?<end>|(?:voce )?(?:achou|encontrou)<end>|bingo|e (?:o|a) <rec><end>|<this> mesm[oa]|reconheco",
        ],
        Act.YES: [
            r"sim|exato|exatamente|correto|certo|claro(?: que sim)?|isso|com certeza|perfeitamente|positivo|e verdade"
        ],
        Act.NO: [r"nao(?= *$| *,)|nao nao|negativo|de jeito nenhum|nao(?= (?:foi|era|antes|depois|mais cedo))"],
        Act.REJECT: [
            r"nao (?:e|era|foi) (?:bem )?(?:<this>|o que (?:eu )?(?:procurava|queria|procuro))(?: <rec>| ai| nao)?|<this> nao(?: e| era| foi)?<end>|nao <this><end>|errado|incorreto|nenhum(?:a)?(?: (?:deles|delas|desses))?|nao me diz nada|nao reconheco|claro que nao|acho que nao|nada a ver",
        ],
        Act.CORRECT: [
            r"(?:muito |um pouco |bem |ainda )*(?:antes|depois|anterior|posterior|mais (?:cedo|tarde|antig[oa]|recente|nov[oa]|velh[oa]|atras))(?: (?:disso|disto|desse|dessa|do que [\w-]+))?",
            r"(?:o|a|os|as) (?:outr[oa]s?|anterior|proxim[oa]|segund[oa]|terceir[oa]|ultim[oa])(?: [\w-]+)?|(?:o|a) (?:de|do|da|com|que|sobre) [\w-]+(?: [\w-]+)?|outr[oa]s? (?:<rec>|coisa|pessoa)|outr[oa]<end>|outra pessoa",
            r"nao (?:foi |era |e )?(?!sei|estou|importa|precisa|lembro|quero|pare|tenho|vale|obrigad)(?=[a-z])[\w-]+<end>|e sim [\w-]+|mas sim [\w-]+|em vez d[eoa] [\w-]+|(?:eu )?(?:quis dizer|estava falando|me referia|queria dizer)(?: [\w-]+)*|quase|nao exatamente|nao e bem|(?:muito )?recente demais|antigo demais|(?:<rec>) errad[oa]",
        ],
        Act.SHIFT: [
            r"(?<=^)(?:nao |logo |foi |pouco )*(?:antes|depois) (?:de|do|da|dos|das) (?!isso|isto)[\w-]+(?: [\w-]+)*"
        ],
        Act.PLACE: [
            r"(?:procura|procure|procurar|busca|busque|olha|olhe|olhar|verifica|verifique|tenta|tente|consulta|consulte|ve|veja|checa|cheque|le|leia)(?: (?:tambem|la|ai|melhor|de novo))* (?:(?:em|no|na|nos|nas|dentro de|por) )*<of><place>",
            r"(?<=^)(?:(?:talvez|tambem|so|ou|e|deve estar|esta) )*(?:em|no|na|nos|nas) <of><place>|(?:pode|poderia|deve|deveria) estar (?:em|no|na|nos|nas) <of><place>|(?:voce )?ja (?:olhou|procurou|verificou)(?: (?:em|no|na|nos|nas))? <of><place>|e (?:em|no|na|nos|nas) <place>",
        ],
        Act.WIDER: [
            r"(?:procur[ae]|busqu?[ae]|olh[ae]|lei?a)(?: (?:tambem|em|no|na|nos|nas|todo|todos|toda|todas|o|a|os|as))* (?:textos? (?:complet\w+|integra\w+)|historico(?: completo)?|outr[ao]s (?:ramos|branches|repos\w*)|branches)(?: d[aoe]s? \w+)?|continu[ae] (?:procurando|buscando|a procurar)|(?:procur[ae]|busqu?[ae]) (?:mais|em tudo|tudo|em todo lugar|de novo)|ampli[ae]\w*(?: a busca)?|em toda parte"
        ],
        Act.ADMIT: [
            r"pode ir|vai(?: em frente)?|va em frente|pode(?: sim| fazer)?|faz isso|faca isso|faca|ok|okay|ta bom|tudo bem|por favor|claro|com certeza|de acordo|beleza|por que nao|bora|manda ver|pode procurar|👍"
        ],
        Act.DECLINE: [
            r"nao,? obrigad[oa]|obrigad[oa],? nao|melhor nao|nao precisa|agora nao|nao vale a pena|(?:e )?(?:caro|lento|longo|demorado) demais|(?:demora|custa) (?:demais|muito)|mais tarde|depois<end>|nao e necessario"
        ],
        Act.END: [
            r"deixa(?: (?:pra la|para la|isso|quieto|estar|assim))+|deixa<end>|deixe (?:pra la|para la|isso)|esquece(?: isso)?|esqueca(?: isso)?|par[ae](?: (?:com isso|por aqui|de (?:procurar|buscar)|ai))*<end>|chega|basta|ja chega|e suficiente|suficiente|nao importa(?: mais)?|tanto faz|cancel[ae]\w*|desisto|encerr[ae]\w*|pronto,? chega|nao e (?:tao |mais )?importante|nao preciso mais(?: disso)?|vamos parar(?: por aqui)?|podemos parar|nao,? obrigad[oa]|e so isso|era so isso|stop",
        ],
        Act.FORM: [
            r"(?:(?:um pouco|bem|muito|faz|versao|em) )*mais (?:curt[oa]|breve|long[oa]|simples|detalhad[oa]|resumid[oa]|clar[oa])(?:,? por favor)?|mais detalhes?|menos detalhes?|(?:como|em|em forma de) (?:uma )?(?:lista|tabela|topicos)|em (?:portugues|ingles|alemao|espanhol)|em ordem(?: (?:cronologica|de data|de tempo))?|cronologic\w+|por (?:data|autor)|sem (?:as )?(?:citacoes|datas|detalhes)|resum\w+|em uma frase|de novo|repete|repita|mais recente primeiro|longo demais|muito longo|mostra (?:a citacao|o texto|o diff)(?: \w+)?",
        ],
        Act.REMARK: [
            r"(?:(?:que|muito|e|isso e|ah|oh|bem|sim) )*(?:interessante|obrigad[oa]|muito obrigad[oa]|valeu|ok|okay|entendi|entendo|legal|bom|otimo|bacana|curioso|estranho|nossa|hm+|ah+|oh+|uau|faz sentido|bom trabalho|perfeito|incrivel|engracado|ta bom|beleza)|nao sei(?: mais)?|nao faco ideia|talvez|pode ser|poderia ser|ola|oi|espera|um momento|nao (?:me )?lembro(?: mais)?|👍|😀|😂|🤔",
        ],
        Act.CUE: [
            r"(?:foi|era|eram|estava|estavamos|havia|tinha|tinhamos|falamos|decidimos|usamos|usavamos|fizemos|discutimos|conversamos)(?: [\w-]+)?|(?:algo|alguma coisa|uma coisa) (?:com|de|sobre|do|da)|tinha a ver com|(?:acho|lembro)(?: (?:que|de))?",
        ],
        Act.HINT: [
            r"(?:no|na|em|durante|no final d[eoa]|no inicio d[eoa]) (?:<season>)(?: passad[oa])?|(?:<season>) passad[oa]|ha (?:\w+ )*(?:meses|anos|semanas|dias)|(?:meses|anos|semanas) atras|20\d\d|ontem|(?<=^)(?:com|por|para|durante|quando|sobre) [\w-]+|[\w-]+ (?:estava|era|queria|disse)"
        ],
        Act.RECALL: [
            r"nao (?:tinhamos|havia|tinha|houve|haviamos|fizemos|falamos|decidimos|era|foi|usamos|usavamos)(?: [\w-]+)+|havia (?:uma|um|algum|alguma) (?:razao|motivo|discussao|decisao)|(?:voce )?(?:se )?lembra(?! de \w+r\b)|lembro|alguma vez|em algum momento|aquela vez|ha (?:tempos|\w+ (?:meses|anos|semanas))|(?:meses|anos|tempos) atras|(?:no |na )?(?:<season>) passad[oa]|como era|o que era (?:aquilo|isso)|aquel[ea] [\w-]+|tinhamos (?:uma|um) (?:razao|motivo)|na ponta da lingua|alguem (?:disse|decidiu|falou)|uma vez|esqueci (?:por que|quem|quando)",
        ],
        Act.WHY: [
            r"por que (?:e que )?(?:[\w]+[aei]mos|fizemos|deixamos|tiramos|usamos|esta|temos|decidimos|isso|paramos|removemos|a gente|nos|mudamos|largamos)|quem (?:decidiu|escreveu|fez|disse|colocou|tirou|propos|adicionou)|quando (?:decidimos|fizemos|foi|tiramos|paramos)|o que decidimos|onde (?:falamos|decidimos|discutimos)"
        ],
        Act.SWITCH: [r"outra coisa|outro assunto|outra pergunta|mudando de assunto|nao tem (?:nada )?a ver"],
        Act.OTHER: [r"(?:a|aquela|aquele|o) outr[oa] (?:coisa|historia|questao|discussao|decisao|assunto)"],
        Act.ASIDE: [r"a proposito|por sinal|alem disso|tambem|mais uma coisa|agora"],
        Act.RETURN: [
            r"volt(?:ar|ando|emos|e|amos)(?: (?:a|ao|para))?|vamos voltar(?: (?:a|ao|para))?|retom\w+|e (?:a|o)|continu\w+ com|de volta (?:a|ao)"
        ],
        Act.WORK: [
            r"(?<=^)<filler>(?P<hit>corrig\w+|conserta\w*|conserte|escreve|escreva|adicion\w+|execut\w+|rod[ae]|cri[ae]|apag\w+|delet\w+|remov\w+|mud[ae]|renomei\w+|implement\w+|refator\w+|instal\w+|faz (?:um|uma|o|a)|faca (?:um|uma|o|a)|atualiz\w+|ger[ae]|compil\w+|tir[ae]|traduz\w* (?:esta|este|essa)|abr[ae] (?:um|uma)|suba|arrum\w+)(?= )",
            r"(?:tenho que|preciso) (?:ir|comer|sair|trabalhar)|(?:o|a|os) (?:build|testes?|ci) (?:esta|estao|falh\w+|nao)[\w ]*",
        ],
        Act.WORK_QUESTION: [r"como (?:posso|eu|faco|se faz|instalo|escrevo)|que horas|o que e uma? "],
        Act.OPEN_RECORD: [
            r"(?:abre|abra|mostra|mostre|le|leia)(?: (?:o|a))?(?: (?:commit|arquivo|sessao))* (?:<hash>|<path>)|(?<=^)(?:commit )?(?:<hash>|<path>)<end>"
        ],
        Act.NEUTRAL: [
            r"nao que (?:importe|isso importe)[\w ]*|sem (?:nenhuma )?duvida|nao ha duvida(?: de que)?|se (?:nao me engano|bem me lembro|lembro bem|possivel|puder|voce puder)|nada mal|nao par[ae]|continue|por que nao|lembr[ae] de \w+r\b|nao esqueca"
        ],
    },
    moods={
        Mood.NEGATED: [r"nao|nunca|jamais|duvido(?: que)?"],
        Mood.UNSURE: [
            r"talvez|pode ser|poderia|parece|nao tenho certeza|possivelmente|provavelmente|acho que nao|quem sabe|suponho"
        ],
        Mood.CONDITION: [r"se(?= (?!nao me engano|bem me|lembro bem|possivel|puder)[a-z])|supondo|a menos que|caso"],
        Mood.REPORTED: [
            r"(?!(?:eu|que|isso|o|quem)\b)[\w-]+ (?:disse|diz|escreveu|perguntou|pensa|acha|pensou|gritou|respondeu|falou)(?: que)?|segundo [\w-]+"
        ],
        Mood.CONTRAST: [r"mas|porem|embora|so que|exceto que"],
        Mood.QUESTION: [
            r"(?<=^)(?:(?:e|mas|ok|bom|entao|interessante|obrigado) )*(?:quem|quando (?:foi|era)|onde (?:esta|foi|fica|diz)|por que|o que (?:disse|significa|e|foi|aconteceu|quis)|qual|quais|como (?:foi|se))\b"
        ],
        Mood.REQUEST: [r"pode|poderia|podemos|por favor|ja (?:olhou|procurou)|voce (?:pode|consegue)|posso"],
        Mood.SUGGEST: [
            r"(?<=^)(?:(?:e|ou|hm|mas) )*(?:nao (?:era|foi|seria)|talvez|que tal|e se|e (?:o|a)|poderia ser)"
        ],
        Mood.TAG: [r"nao|nao e|ne|certo|sim|verdade|correto|ou nao"],
        Mood.DEIXIS: [r"ess[ea]s?|est[ea]s?|isso|isto|aquel[ea]|o|a|ai|aqui|tambem|voce|<cited>"],
        Mood.REPAIR: [r"espera|um momento|ah|oh|desculpa|hm+|alias|na verdade"],
        Mood.SELECT: [r"(?:o|a|os|as) [\w-]+|quis dizer|me referia|nao|sim|e|era|foi|que tal"],
    },
    marks="resume resuma a ainda alem algo alguem algum alguma antes ao aos apenas aquela aquele aqui as assim ate bem cada chega coisa com como contra da dar de dela dele deles depois desde dessa desse disso do dois dos e ela elas ele eles em entao entre era eram essa esse esta estao estava este estou eu faz fazer foi foram forma ha isso isto ja la lhe lista mais mas me melhor menos mesmo meu minha muito na nada nao nas nem no nos nossa nosso nunca o onde ontem os ou outra outro para pela pelo perto pode pois por porque pouco pra qual quando quanto que quem se seja sem sempre ser seu sim so sobre sou sua tal talvez tambem tao tem tenho tenta ter teve tinha todo todos tu tudo um uma vai vamos vez voce acho lembro motivo havia quis sessao escreveu decidiu procurava essas aquilo sugeriu se a e o os as que e era foi de do da em no na nao sim por favor com para uma um mais mas obrigado obrigada quem quando onde isso isto esse essa este esta aquele procura procure olha deixa esquece antes depois"
    " outro outra tinhamos havia curto exato pode ir vai corrige escreve interessante lembra como qual muito voce chega basta entao mesmo pra la nos ta bom teste motivo foi disso disse",
    breaks=r"mas|porem|e depois|e agora|so que",
    common="o a os as um uma de do da dos das em no na e ou que foi era por para com nao se ao como mais sessao commit conversa arquivo mudanca decisao",
)

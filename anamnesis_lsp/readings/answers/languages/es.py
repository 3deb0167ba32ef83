"""Spanish: the plain cases. Accents are dropped, as the comparable form has them, but for "sí" (yes) beside "si" (if)."""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

from anamnesis_lsp.readings.answers.language import Act, Language, Mood

LANGUAGE = Language(
    code="es",
    macros={
        "rec": r"sesion|conversacion|commit|cambio|discusion|decision|hilo|chat|pr|ticket|registro|archivo|rama|reunion|momento",
        "place": r"<path>|docs?|documentacion|wiki|ramas?|branch(?:es)?|carpetas?|directorios?|sesiones?|chats?|conversaciones|transcripciones|logs?|registros?|commits?|historial|prs?|issues?|tickets?|repos?|repositorios?|notas|archivos?|changelog|adrs?|stash|20\d\d",
        "of": r"(?:(?:el|la|los|las|otra|otro|otras|otros|de|del|en|tambien|nuestr\w+|mi|mis|viej\w+|20\d\d|[\w.-]+) ){0,4}?",
        "filler": r"(?:(?:por favor|ahora|y|luego|entonces|puedes|podrias|ok|vale|bueno|gracias|tambien|oye|porfa),? )*",
        "this": r"es[eao]s?|est[eao]s?",
        "season": r"primavera|verano|otono|invierno|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|ano|mes|semana|navidad",
    },
    acts={
        Act.IDENTIFY: [
            r"(?:es|era|fue|son) (?:justo |exactamente |precisamente |justamente )?(?:<this>|el que|la que|lo que|el|la)(?: mism[oa])?(?: <rec>)?(?: (?:buscaba|queria|decia|recordaba|recuerdo|necesitaba)(?: yo)?)?<end>",
            r"(?:es|era|fue) (?:justo |exactamente |precisamente )?(?:el|la|lo) que (?:buscaba|queria|decia|recordaba|recuerdo|necesitaba|tenia en mente)|(?:<this>|ahi|aqui) (?:es|era|esta)<end>|eso es|exactamente (?:<this>)|justo (?:<this>)|(?:lo|la) (?:encontraste|has encontrado)|bingo|(?:sí|si) <this>(?: mism[oa])?(?: <rec>)?<end>|<this> mism[oa]|(?:la|lo) reconozco",
        ],
        Act.YES: [
            r"sí|si(?=[\s.!,]*$)|exacto|exactamente|correcto|claro(?: que si)?|efectivamente|justo|asi es|sip|cierto|eso mismo|por supuesto"
        ],
        Act.NO: [r"no(?= *$| *,)|no no|nop|que va|para nada|negativo|no(?= (?:fue|era|antes|despues|es|mas))"],
        Act.REJECT: [
            r"no (?:es|era|fue) (?:<this>|eso|el|la|lo que (?:buscaba|queria|decia))(?: <rec>| que (?:buscaba|queria))?|<this> no(?: es| era| fue)?(?: el| la)?<end>|no,? <this> no|ni de lejos|equivocado|incorrecto|mal<end>|ningun[oa](?: de (?:ellos|esos|estos))?|no me suena|no lo reconozco|claro que no|no creo que sea (?:<this>)",
        ],
        Act.CORRECT: [
            r"(?:mucho |un poco |algo |mas )*(?:antes|despues|anterior|posterior|mas (?:temprano|tarde|viejo|antiguo|reciente|nuevo|atras))(?: (?:de|que) (?:eso|esto|ese|[\w-]+(?: [\w-]+)?))?",
            r"(?:el|la|lo|los|las) (?:otr[oa]s?|anterior|siguiente|segund[oa]|tercer[oa]?|ultim[oa])(?: [\w-]+)?|(?:el|la) (?:de|del|con|que|sobre) [\w-]+(?: [\w-]+)?|otr[oa]s? (?:<rec>|cosa|persona)|otr[oa]<end>|alguien mas|otra persona",
            r"no (?:fue |era |es )?(?!se\b|estoy|importa|es es|hace|gracias|quiero|pares|recuerdo|me\b|vale|lo\b)(?=[a-z])[\w-]+<end>|sino [\w-]+(?: [\w-]+)?|en (?:vez|lugar) de [\w-]+|mas bien [\w-]+|(?:me referia|queria decir|quise decir|buscaba)(?: [\w-]+)*|casi|no exactamente|no del todo|demasiado (?:reciente|nuevo|viejo|temprano|tarde)|(?:<rec>) (?:equivocad[oa]|incorrect[oa])",
        ],
        Act.SHIFT: [r"(?<=^)(?:no |justo |fue |mas bien )*(?:antes|despues) (?:de|del) [\w-]+(?: [\w-]+)*"],
        Act.PLACE: [
            r"(?:busca|buscar|mira|mirar|revisa|revisar|prueba|probar|chequea|consulta|intenta|ve|lee|comprueba)(?: (?:tambien|bien|mejor|otra vez))* (?:(?:en|por|dentro de|con|a) )*<of><place>",
            r"(?<=^)(?:(?:quiza|quizas|tal vez|talvez|tambien|solo|o|y|puede que este|esta|debe estar) )*(?:en) <of><place>|(?:podria|puede|deberia|debe) (?:estar|ser) en <of><place>|has (?:mirado|buscado|revisado)(?: ya)? (?:en )?<of><place>|(?:y|que hay de) (?:en )?<place>",
        ],
        Act.WIDER: [
            r"(?:busca|mira|revisa|lee)(?: (?:tambien|en|por|el|la|las|los|todo|toda|todas|todos))* (?:textos? complet\w+|historial(?: completo)?|historia completa|otras ramas|ramas|otros repos\w*|sesiones completas)(?: de (?:las |los )?\w+)?|sigue buscando|busca (?:mas|en todo|todo|en todas partes|otra vez|mas a fondo)|amplia(?: la busqueda)?|ampliar|en todas partes"
        ],
        Act.ADMIT: [
            r"adelante|dale|hazlo|vale|ok|okay|de acuerdo|por favor|claro|bueno|venga|por que no|esta bien|perfecto|procede|busca|👍"
        ],
        Act.DECLINE: [
            r"no,? gracias|gracias,? no|mejor no|no hace falta|ahora no|no vale la pena|no merece la pena|(?:es )?demasiado (?:lento|caro|largo|tiempo)|mas tarde|luego|no es necesario|dejalo"
        ],
        Act.END: [
            r"olvidal[oa]|olvidate|olvida (?:eso|esto)|dejal[oa](?: (?:asi|estar|ya))?|deja(?: de buscar)?<end>|dejemoslo(?: asi)?|para(?: ya| de buscar)?<end>|basta(?: ya)?|ya basta|es suficiente|suficiente|(?:ya )?no importa(?: ya)?|da igual|me da igual|cancela(?:r|lo)?|termina(?:r|lo)?|alto|stop|me rindo|ya esta(?: bien)?|no es (?:tan )?importante|ya no (?:lo )?(?:necesito|importa)|no te preocupes|nada,? dejalo|eso es todo|no,? gracias",
        ],
        Act.FORM: [
            r"(?:(?:mas|un poco|mucho|hazlo|version|algo|dilo) )*(?:mas )(?:cort[oa]|breve|larg[oa]|simple|sencill[oa]|detallad[oa]|corto|clar[oa])(?:,? por favor)?|mas detalles?|menos detalles?|(?:como|en) (?:una )?(?:lista|tabla|viñetas|vinetas)|en (?:espanol|ingles|aleman|frances)|en orden(?: (?:cronologico|de tiempo))?|cronologic\w+|por (?:fecha|autor)|sin (?:las )?(?:citas|fechas|detalles)|resum\w+(?:lo)?|en una frase|otra vez|repite\w*|lo mas (?:nuevo|reciente) primero|demasiado largo|no tan largo|muestrame (?:la cita|el texto|el diff)(?: [\w]+)?",
        ],
        Act.REMARK: [
            r"(?:(?:que|muy|es|eso es|ah|oh|bien|pues|si) )*(?:interesante|gracias|muchas gracias|ok|okay|vale|ya veo|entiendo|entendido|genial|bien|bueno|guay|claro|curioso|raro|vaya|hm+|ah+|oh+|wow|tiene sentido|buen trabajo|perfecto|estupendo|increible|gracioso|no lo sabia|de nada)|no se(?: mas)?|ni idea|quiza|quizas|tal vez|puede ser|podria ser|hola|espera|un momento|no (?:me acuerdo|recuerdo)(?: mas)?|👍|😀|😂|🤔",
        ],
        Act.CUE: [
            r"(?:fue|era|eran|estaba|estabamos|habia|hubo|hablamos|decidimos|teniamos|tuvimos|usamos|usabamos|hicimos|discutimos)(?: [\w-]+)?|(?:algo|una cosa) (?:de|con|sobre|relacionad\w+)|tenia que ver con|(?:creo|recuerdo|me acuerdo)(?: (?:que|de))?",
        ],
        Act.HINT: [
            r"(?:el|la|en|durante|hacia|a finales de|a principios de) (?:<season>)(?: pasad[oa])?|(?:<season>) pasad[oa]|hace (?:\w+ )*(?:meses|anos|semanas|dias)|20\d\d|ayer|(?<=^)(?:con|por|para|durante|cuando|sobre|antes|despues) [\w-]+|[\w-]+ (?:estaba|era|queria|dijo)"
        ],
        Act.RECALL: [
            r"no (?:teniamos|habia|hubo|habiamos|hicimos|hablamos|decidimos|tuvimos|era|fue|usamos|usabamos)(?: [\w-]+)+|habia (?:una|un|algo|alguna) (?:razon|motivo|discusion|decision|conversacion)|(?:te )?acuerdas|recuerdas|me acuerdo|recuerdo|alguna vez|en algun momento|aquella vez|hace (?:tiempo|\w+ (?:meses|anos|semanas))|(?:la |el )?(?:<season>) pasad[oa]|como (?:era|se llamaba)|que era (?:eso|aquello|esa)|aquel(?:la|lo)? [\w-]+|teniamos (?:una|un) (?:razon|motivo)|no me acuerdo|lo tengo en la punta de la lengua|alguien (?:dijo|decidio|menciono)|juraria|una vez",
        ],
        Act.WHY: [
            r"por que (?:[\w]+[aei]mos|hicimos|dejamos|quitamos|usamos|esta|tenemos|hay|decidimos|se|lo|no|cambiamos|abandonamos|elegimos)|quien (?:decidio|escribio|hizo|dijo|puso|anadio|quito|propuso)|cuando (?:decidimos|hicimos|se|fue|quitamos|cambiamos)|que decidimos|donde (?:hablamos|decidimos|discutimos)"
        ],
        Act.SWITCH: [r"otra cosa|otro tema|otra pregunta|cambiando de tema|no tiene (?:nada )?que ver|tema distinto"],
        Act.OTHER: [r"(?:la|esa|aquella|lo) otr[oa] (?:cosa|historia|cuestion|discusion|decision|asunto)"],
        Act.ASIDE: [r"por cierto|ademas|a proposito|tambien|una cosa mas|ahora"],
        Act.RETURN: [
            r"vol(?:vamos|ver|viendo|vemos|vamos)(?: (?:a|al|con))?|sigamos con|que hay de|y (?:la|el|lo)|retom\w+|de vuelta a"
        ],
        Act.WORK: [
            r"(?<=^)<filler>(?P<hit>arregl\w+|escribe|escribir|anade|anadir|agrega\w*|ejecuta\w*|corre|correr|crea|crear|borra\w*|elimina\w*|cambia\w*|renombra\w*|implementa\w*|refactoriza\w*|instala\w*|despliega\w*|sube|haz (?:un|una|el|la)|actualiza\w*|genera\w*|corrige\w*|corregir|compila\w*|quita\w*|traduce (?:esta|este)|abre (?:un|una))(?= )",
            r"tengo que (?:ir|comer|irme|trabajar)\w*|(?:el|la) (?:build|test|ci) (?:esta|falla|no)[\w ]*",
        ],
        Act.WORK_QUESTION: [r"como (?:puedo|hago|se hace|instalo|escribo)|que hora|que es un[ao]? "],
        Act.OPEN_RECORD: [
            r"(?:abre|muestra|muestrame|lee)(?: (?:el|la))?(?: (?:commit|archivo|sesion))* (?:<hash>|<path>)|(?<=^)(?:commit )?(?:<hash>|<path>)<end>"
        ],
        Act.NEUTRAL: [
            r"no es que (?:importe|me importe)|sin (?:ninguna )?duda|no hay duda(?: de que)?|no cabe duda|si (?:mal no recuerdo|no me equivoco|recuerdo bien|es posible|puedes|no te importa)|no esta mal|no pares|sigue|por que no|recuerda (?=\w+r\b)|acuerdate de"
        ],
    },
    moods={
        Mood.NEGATED: [r"no|nunca|jamas|tampoco|dudo(?: que)?"],
        Mood.UNSURE: [
            r"quizas?|tal vez|puede(?: ser)?|podria|parece|no estoy segur[oa]|creo que no|posiblemente|probablemente|a lo mejor|supongo"
        ],
        Mood.CONDITION: [r"si(?= (?!mal no|no me equiv)[a-z])|suponiendo|a menos que|en caso de"],
        Mood.REPORTED: [
            r"(?!(?:yo|que|eso|lo)\b)[\w-]+ (?:dijo|dice|escribio|pregunto|piensa|cree|penso|grito|respondio)(?: que)?|segun [\w-]+"
        ],
        Mood.CONTRAST: [r"pero|aunque|sin embargo|salvo que|solo que"],
        Mood.QUESTION: [
            r"(?<=^)(?:(?:y|pero|ok|bueno|entonces|interesante|gracias) )*(?:quien(?:es)?|cuando (?:fue|era|se)|donde (?:esta|fue|se|dice)|por que|que (?:dijo|significa|es|fue|paso|quiso|rama|hizo)|cual(?:es)?|como (?:de|se|fue|lo))\b"
        ],
        Mood.REQUEST: [r"puedes|podrias|podemos|por favor|has (?:mirado|buscado)|me (?:das|puedes)|quieres|puedo"],
        Mood.SUGGEST: [
            r"(?<=^)(?:(?:y|o|hm|pero) )*(?:no (?:era|fue|seria)|quizas?|tal vez|que tal|y (?:el|la|si)|podria ser)"
        ],
        Mood.TAG: [r"no|verdad|cierto|si|sí|correcto|o no|o que|no es asi"],
        Mood.DEIXIS: [r"es[eao]s?|est[eao]s?|lo|la|el|ahi|aqui|tambien|tu|<cited>"],
        Mood.REPAIR: [r"espera|un momento|ah|oh|perdon|hm+|mejor dicho|ahora que lo pienso"],
        Mood.SELECT: [r"(?:el|la|los|las) [\w-]+|me referia|queria decir|no|sí|si|es|era|fue|que tal"],
    },
    marks="resumelo a al algo alguien alguna alguno algun ahi ahora alla ambos ante antes aqui aquel aquella asi aun bien cada casi como con contra cosa creo cual cuando cuanto de decir del desde donde dos dijo e el ella ellos en entre era eran eres es esa ese eso esos esta estaba estan estas este esto estos estoy fue fueron gracias ha habia hace hacia han hasta hay he hemos hizo hoy la las le lista lo los luego mas me mejor mi mientras mis mismo mucho muy nada ni ninguno no nos nosotros nuestra nuestro nunca o otra otro para parece pero poco por porque pues que quien quiero se sea segun ser si sido siempre sin sobre solo son su sus tal tambien tan tanto te tener tenia tiene todo todos tu tus un una uno unos usted va vamos vez ya yo quiza quizas buscaba sesion sesiones antiguas escribio quien decidio dejamos forma si a el la los las que es era fue de del en y no sí si por favor con para una un lo mas pero gracias quien cuando donde porque eso ese esa esto este esta busca mira revisa olvidalo dejalo antes despues"
    " otro otra teniamos habia corto exacto adelante vale arregla escribe interesante recuerdas acuerdas como cual muy basta sigue claro correcto hazlo anterior importa igual hicimos algo alguna",
    breaks=r"pero|sino|aunque|y luego|y ahora",
    common="el la los las un una de del en y o que es era fue por para con no si lo se su al como mas sesion commit conversacion archivo cambio decision",
)

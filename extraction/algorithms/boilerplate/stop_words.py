"""Stop words: the closed classes (articles, pronouns, prepositions, conjunctions, auxiliaries) of the languages most pages are in.

For a language without a list, results are only a little less sharp, because words that are on every page have the highest entropy anyway.
"""

_WORDS = {
    "en": (
        "a about above after again against all am an and any are as at be because been before being below between both but by can "
        "could did do does doing down during each few for from further had has have having he her here hers herself him himself his "
        "how i if in into is it its itself just me more most my myself no nor not of off on once only or other our ours ourselves out "
        "over own same she should so some such than that the their theirs them themselves then there these they this those through to "
        "too under until up upon very was we were what when where which while who whom why will with would you your yours yourself "
        "yourselves"
    ),
    "de": (
        "aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dem den denn der des dessen die dies diese "
        "diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euer für habe haben hat hatte hatten "
        "hier ich ihm ihn ihnen ihr ihre im in ins ist jede jeder jedes kann können man mehr mein mich mir mit nach nicht noch nur ob "
        "oder ohne sehr sein seine sich sie sind so über um und uns unser unter vom von vor war waren was wenn wer werden wie wir wird "
        "wo zu zum zur"
    ),
    "fr": (
        "à au aux avec ce ces cet cette chez comme dans de des dont du elle elles en est et été être eu eux il ils je la le les leur "
        "leurs lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas plus pour qu quand que qui sa sans se ses si son "
        "sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vos votre vous y"
    ),
    "es": (
        "a al algo ante antes como con contra cual cuando de del desde donde durante e el él ella ellas ellos en entre era es esa ese "
        "eso esta este esto está están fue ha hasta hay la las le les lo los más me mi mis mucho muy nada ni no nos nosotros o os otra "
        "otro para pero por porque que qué quien se sea ser si sí sin sobre son su sus también tan te tiene tu tus un una uno unos y "
        "ya yo"
    ),
    "it": (
        "a ad agli ai al alla alle allo anche c che chi ci come con contro cui da dagli dai dal dalla dalle dei del della delle dello "
        "di dove e è ed essere gli ha hanno ho i il in io l la le lei li lo loro lui ma mi mia mio ne nei nel nella nelle noi non "
        "nostro o per perché più quale quando quanto quella quello questa questo se sei si sia sono su sua sue sui sul sulla suo tra "
        "tu un una uno vi voi"
    ),
    "pt": (
        "a ao aos às até com como da das de dela dele do dos e é ela elas ele eles em entre era essa esse esta está este eu foi há "
        "isso isto já lhe mais mas me mesmo meu minha muito na nas nem no nos nós não o os ou para pela pelas pelo pelos por quando "
        "que quem se sem ser seu seus sua suas só são também te tem um uma umas uns você"
    ),
    "nl": (
        "aan al alles als bij daar dan dat de der deze die dit doen door dus een en er ge geen haar had heb hebben heeft hem het hier "
        "hij hoe hun ik in is ja je kan maar me meer men met mij mijn na naar niet nog nu of om omdat ons ook op over te tegen toch "
        "toen tot u uit uw van veel voor want waren was wat we werd wie wij worden zal ze zich zij zijn zo zonder zou"
    ),
    "sv": (
        "alla allt att av blev bli blir de dem den denna deras dess det detta dig din dina du där efter ej eller en er ett för från ha "
        "hade han hans har henne hennes hon honom hur här i icke inte jag ju kan man med mig min mina mot mycket ni nu när någon något "
        "och om oss på samma sig sin sina ska som så till under upp ut vad var vara vi vid vår våra än är åt över"
    ),
    "da": (
        "af alle at blev blive da de dem den denne der deres det dette dig din du efter eller en end er et for fra ham han hans har "
        "havde hende her hos hun hvad hvis hvor i ikke ind jeg jo kan man med meget men mig min mit mod ned noget nogle nu når og også "
        "om op os over på sig sin skal som til ud under var ved vi vil være"
    ),
    "ru": (
        "а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же за и из или им их к "
        "как ко когда кто ли мне может мы на над не него нет ни но о об он она они от по под при с со так также там то того тоже "
        "только ты у уже чего чем что чтобы это этого этот я"
    ),
    "pl": (
        "a aby ale bez być był była było co czy dla do go i ich ile im ja jak jako je jego jej jest jeszcze już kiedy kto która które "
        "który którzy lub ma mi może my na nad nie nim o od on ona one oni oraz po pod przed przez przy się są ta tak także tam te "
        "tego ten to tu tylko ty tym u w we wszystko z za ze że"
    ),
}

STOP_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""{language subtag: words in lower case}"""

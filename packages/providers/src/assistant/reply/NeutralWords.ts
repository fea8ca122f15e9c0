/*
 * Words that recommend and describe goods, by language. None is about price, money, quantity, comparison, order, payment,
 * contact, stock, shipping, ratings, popularity or safety. Before you add a word, think of what the words beside it could
 * make of it: "way" is harmless, "on its way to you" isn't.
 */

/** Languages in which sentences of a model can be kept. */
export type CheckedLanguage = "en" | "de" | "fr" | "es" | "it" | "pt"

const english = `prefer while gifts wood household something young ears hands feet head wrist pleasant a an the
  and or but so to in on for with by as of is are be it its this that these those which who you your i me my
  they them their he she his her him if when because also too very really quite both each any some would will
  can could may might should do does has have s m ll d ve re help helps make makes made keeps let lets give
  gives provide provides brings add adds include includes feature features fit fits suit suits match matches
  work works feel feels look looks sound sounds fold folds serve serves stay stays sit sits run runs need needs
  want wants use uses using enjoy choose suggest picked pick picks choice choices option options recommendation
  suggestion idea ideas hope thanks thank hello hi sure happy glad great good nice lovely wonderful excellent
  perfect ideal solid fine fantastic comfortable comfy soft light lightweight heavy small compact large big slim
  thin thick long short wide tall tiny roomy spacious portable foldable foldaway handy practical useful
  versatile sturdy durable robust tough reliable lasting elegant stylish sleek modern classic simple easy easily
  smooth quiet quietly silent clear crisp rich deep warm warmth cool cooling cozy bright dark gentle strong
  powerful flexible adjustable ergonomic breathable waterproof water resistant washable rechargeable wireless
  wired cordless bluetooth noise cancelling cancellation insulated natural organic vegan wooden metal steel
  leather cotton wool linen glass plastic colorful black white blue red green gray grey brown pink yellow purple
  orange silver design designed build built material materials fabric quality style size shape color colour
  finish surface battery bass audio music microphone comfort fitness storage space case bag strap handle lid
  grip sole cushion cushioning padding support lighting beam brightness charging cable button buttons keys
  travel traveling travelling trip trips commute commuting commuter commutes home office desk study school
  kitchen bedroom bathroom garden outdoor outdoors indoor camping hiking trail trails running runner runners
  walk walks walking sport sports gym workout workouts yoga training cycling beach rain rainy weather winter
  summer sleep sleeping cooking baking coffee tea reading writing gaming play playing listening daily everyday
  night gift present birthday someone kids child children baby toddler adults dog dogs cat cats mother father
  mom dad daughter son wife husband friend friends family beginner beginners students cook cooks traveler
  travelers headphones earbuds earphones speaker keyboard mouse charger lamp tent backpack suitcase bottle mug
  kettle grinder scale pan knife blanket pillow shoes jacket camera stand notebook pen toy toys puzzle blocks
  bike helmet harness bed towel chair table candle sunscreen shampoo maker drill headlamp especially
  particularly particular perfectly well nicely together around between during into through throughout onto
  whether either purpose kind type details detail wish wishes preferences preference lifestyle experience
  pleasure joy fun focus calm relaxing relax immersive wearing wear wears carry carries carrying clean cleaning
  cleans pack packs packing brew brewing grind grinds thoughtful charming cheerful beautiful beautifully
  delightful dependable convenient balanced minimalist timeless attractive intuitive effortless effortlessly
  what how where another mat mats socks shirt shirts sweater coat gloves scarf hat beanie dress jeans trousers
  shorts boots sneakers sandals slippers belt necklace earrings bracelet sunglasses umbrella luggage duffel tote
  sling organizer box jar bowl plate cup cups glasses teapot pot pots pans skillet oven toaster blender mixer
  juicer dripper server filter filters spatula spoon fork tray rack shelf hook hanger mirror clock frame vase
  rug curtain curtains sheet sheets duvet mattress sofa couch cover covers stool cabinet drawer drawers monitor
  webcam laptop tablet computer screen router printer projector tripod lens adapter hub cables plug batteries
  powered power vacuum purifier humidifier fan heater iron kit kits tool tools hammer saw screwdriver wrench
  bits tape rope hammock stove cookset canopy ball racket bat dumbbell kettlebell bands band guitar piano drum
  drums strings game games dice doll crayons paint paints brush brushes pencil pencils pens ink nib paper papers
  envelope planner calendar drawing sketching crafts sewing knitting soap cream lotion serum balm oil perfume
  scent scents scented razor toothbrush comb dryer leash collar crate feeder litter aquarium plant plants seeds
  soil hose shovel rake lawn fence balcony terrace patio yard body hand foot knee knees neck shoulder shoulders
  arm arms leg legs skin hair face eye eyes ear nose mouth teeth finger fingers waist hips joints muscles sweat
  adult teen teens teenager parents parent grandmother grandfather sister brother uncle aunt colleague lover
  lovers hiker hikers camper campers cyclist cyclists gamer gamers reader readers artist artists musician
  musicians chef chefs baker bakers gardener photographers photographer person pet pets puppy kitten newborn
  newborns room rooms hallway wall floor corner window roof ceiling cabin flights city forest mountain mountains
  lake sea snow wind windy sun sunny sunlight ground rocky rough terrain wet muddy air sky vacation seasons
  anywhere spot surfaces area areas crowded noisy meetings meeting videos video movies movie podcasts lessons
  practice hobby hobbies projects project tasks task jobs job chores meal meals breakfast lunch dinner snack
  snacks drink drinks bread cake dough vegetables fruit meat fish soup salad pasta rice eggs herbs spices flavor
  flavors taste tastes aroma brewed roast roasted roasting beans bean espresso crema foam types typing layout
  key switches switch profile numpad angle height width length depth weight capacity compartment compartments
  sleeve lining zipper zippers closure hood cuffs seam seams mesh memory rubber silicone bamboo oak walnut cork
  wax brass copper aluminium aluminum titanium ceramic porcelain marble stone canvas denim silk satin velvet
  fleece merino nylon polyester latex felt fur paperback hardcover blade edge handles grips grippy knob knobs
  lever wheel wheels frames base shell hinge hinges straps clip clips magnet magnetic buckle ribbon pattern
  patterns print stripes tone tones shade shades texture textures shapes layer layers picture pictures image
  images sharp sharpness zoom tuning volume treble vocals setup settings mode modes function functions pairing
  range timer sensor display dry drying damp hot cold warmly chilly freezing cools heat heats heating evenly
  flat flats lay lays hang hangs attach attaches mount mounts stack stacks tuck tucks slide slides roll rolls
  zip zips close closes lock locks raise raises lift lifts tilt tilts turn turns spin spins glide glides block
  absorb absorbs protect protects protecting supports supporting cushions hug hugs wrap wraps measure measures
  weigh weighs weighing precisely precise precision mix mixes mixing stir pour pours pouring drip drips boil
  chop chops chopping slice slices slicing peel grate bake bakes grill grills fry steam steams serving storing
  organize organizes organized tidy sort sorts arrange displays lights lit illuminate illuminates glow glows
  shine shines brighten brightens reflect reflects reflective visible visibility hearing listen listens watching
  learn learns learning teach teaches start starting begin try trying builds building create creates creating
  imagine explore explores exploring discover relaxes unwind rest rests resting calms calming soothe soothes
  soothing breathe stretch stretching lifting becomes blend blends blending folding folded adding suited
  suitable tailored intended meant aimed crafted handmade knitted woven padded lined coated sealed leakproof
  spillproof sweatproof windproof shockproof dustproof scratchproof stainproof rustproof nonstick odorless
  unscented fragrant dishwasher induction machine wash washing sturdily snug snugly loose fitted stable
  stability steady rigid firm firmly plush fluffy silky velvety supple stretchy elastic thickness ultralight
  featherlight slimline narrow round square oval rectangular curved pointed coarse crunchy creamy mellow mild
  bold full fruity nutty sweet bitter salty spicy fresh freshness refreshing naturally pure purely plain subtle
  discreet understated decorative ornate vintage retro rustic scandinavian nordic industrial modernist
  contemporary traditional traditionally artistic creative playful funny vivid lively energetic adventurous
  romantic peaceful serene friendly welcoming familiar personal personalized unique distinctive memorable
  meaningful heartfelt sweetly sensible smart clever capable effective efficient reliably consistent
  consistently accurate accurately softly gently comfortably smoothly neatly tidily freely simply conveniently
  properly correctly automatically manually indoors convenience simplicity elegance durability flexibility
  mobility portability versatility softness sturdiness lightness silence peace tranquility balance control
  freedom movement motion posture traction airflow ventilation insulation absorption hydration moisture shelter
  privacy alternative alternatives companion complement addition combination combo set sets essential essentials
  basic basics advanced multi multipurpose dual various certain main general overall however instead otherwise
  though although then thus therefore am being seem seems appear appears allow allows allowing enable enables
  ensure ensures maintain maintains maintaining care caring consider considering consists contain contains
  containing itself himself herself yourself themselves eco recycled recyclable sustainable sustainably
  biodegradable compostable renewable responsibly conscious mindful wellness active activity activities
  adventure adventures exercise exercises endurance strength energy enjoys enjoying ritual tradition routine
  routines habit moment moments memories dream dreams mood atmosphere ambience vibe charm character personality
  sense noticeable noticeably enhanced improved improves improve kid toddlers infant boy girl boys girls man
  woman men women couple couples roommates guest middle side sides bottom front rear upper outer songs playlist
  audiobooks concerts studio stage recording streaming suggested recommending looking searching wanted asked
  mentioned described inch inches cm mm liter liters litre litres ml kg gram grams watt watts volt volts lumens
  db hz pieces players`

const german = `der die das den dem des ein eine einen einem einer eines und oder aber denn weil zu zum zur im
  in am an mit auf für aus bei beim von vom ist sind sein wird werden wäre wären es sie er ihn ihm ihr ihre
  ihren ihrem ihrer du dich dir dein deine deinen deinem ich mich mir mein meine meinen wer was wie wenn als
  auch sehr ganz gut gute guten guter gutes schön schöne schönes schöner schönen toll tolle toller tolles ideal
  ideale idealer perfekt perfekte perfekter passt passen passend passende eignet eignen sich geeignet hat kann
  können könnte bietet bieten macht machen hält halten lässt lassen sorgt sorgen bringt gefällt dabei damit
  dafür daher dazu durch ohne während sowie sowohl beide beides jede jeder jedes dieser diese dieses diesen
  diesem welche welcher empfehle empfehlen empfehlung vorschlag vorschläge wahl auswahl tipp idee geschenk
  geschenke gerne gern viel spaß freude hallo bequem bequeme bequemer komfortabel komfortable leicht leichte
  leichter leichtes leichten weich weiche weicher weiches klein kleine kleiner kleines groß große großer großes
  kompakt kompakte kompaktes kompakter leise leiser leises robust robuste robuster robustes stabil stabile
  stabiler langlebig langlebige praktisch praktische praktischer vielseitig vielseitige faltbar faltbare
  klappbar tragbar tragbare wasserdicht wasserdichte wasserfest warm warme kühl angenehm angenehme angenehmer
  angenehmen modern moderne modernes elegant elegante schlicht schlichte klassisch klassische hochwertig
  hochwertige hochwertigen kräftig kräftige klar klare klaren klarer satt satten satter ergonomisch ergonomische
  kabellos kabellose kabellosen drahtlos einfach einfache einfachen natürlich qualität material verarbeitung
  design form farbe größe akku klang bass ton musik hören lesen spielen arbeit arbeiten büro schreibtisch
  zuhause küche schlafzimmer garten reise reisen reisende alltag täglich tägliche täglichen nacht sport training
  laufen läufer wandern camping regen winter sommer schlaf schlafen kochen backen kaffee tee kind kinder kindern
  tochter sohn mutter vater frau mann freund freundin familie einsteiger hund katze kopfhörer ohrhörer tastatur
  maus lampe zelt rucksack koffer flasche tasse mühle waage pfanne messer decke kissen schuhe jacke lautsprecher
  ladegerät besonders wirklich richtig etwas jemand allem tragekomfort tragen trägt getragen lange langen langes
  gestaltet gemacht wunderbar wunderbare schwarz weiß blau rot grün so kannst trotzdem deshalb jeden dann doch
  eher gerade genau sitzen sitzt ohr ohren füße füßen hände händen hand kopf nacken rücken haut haare augen
  körper trocken trockene sauber saubere frisch frische kalt kalte kalten nächte nächten draußen zimmer
  wohnzimmer bad balkon wand tisch stuhl bett sofa boden wald berge meer strand wetter wind schnee sonne licht
  geräusche geräusch störende störenden fern ruhe ruhig ruhige entspannt entspannen entspannung konzentrieren
  konzentration spielzeug puzzle uhr tasche brille schlafsack regenjacke schuh sohle griff griffe polster
  polsterung stoff leder holz wolle baumwolle metall stahl glas kunststoff gummi kräftigen kräftiger sanft
  sanfte sanften feine feinen feiner zart edel edle edles zeitlos zeitlose dezent dezente farbenfroh bunt
  freundlich gemütlich gemütliche liebevoll sinnvoll sinnvolle nützlich nützliche super wunderbares hervorragend
  hervorragende ausgezeichnet ausgezeichnete solide solider zuverlässig zuverlässige stauraum fach fächer
  verstellbar verstellbare waschbar abwaschbar atmungsaktiv atmungsaktive rutschfest pflegeleicht
  wiederaufladbar schützt schützen wärmt kühlt dämpft unterstützt erleichtert ermöglicht genießen nutzen
  verwenden benutzen mitnehmen transportieren verstauen reinigen waschen mahlen gelingt fühlt fühlen anfühlt
  klingt klingen sieht aussehen ausstrahlt schläft wanderungen anfänger liebhaber kaffeeliebhaber ideen auge
  formen`

const french = `le la les l un une des d de du et ou mais donc car à au aux en dans avec sur pour par sans est
  sont être sera serait soit ce c cet cette ces ça cela il elle ils elles qui que qu dont où je j me m vous
  votre vos tu te t ton ta tes mon ma mes son sa ses leur leurs on y se s si comme quand aussi très bien
  vraiment assez tout toute tous toutes chaque voici conseille recommande recommanderais propose suggère
  suggestion suggestions choix option options idée idées convient conviennent conviendra offrent permet
  permettent garde a ont peut peuvent fait font sait plaira parfait parfaite parfaits parfaites idéal idéale
  idéales idéaux bonne bonnes beau belle beaux belles joli jolie agréable agréables confortable confortables
  léger légère légers légères doux douce petit petite petits petites grand grande grands grandes compact
  compacte compacts compactes pratique pratiques solide solides robuste robustes résistant résistante résistants
  durable durables polyvalent polyvalente pliable pliables portable portables imperméable imperméables étanche
  étanches chaud chaude fraîche élégant élégante moderne modernes classique simple simples silencieux
  silencieuse discret discrète clair claire riche puissant puissante ergonomique facile facilement naturel
  naturelle excellent excellente excellents superbe qualité matière matériau design forme couleur taille
  batterie sons basses musique écouter lire jouer utiliser utilisation transporter porter travail bureau maison
  cuisine chambre jardin voyage voyages voyager trajets trajet quotidien quotidienne nuit sport course randonnée
  camping pluie hiver été sommeil dormir café thé enfant enfants fille fils mère père femme mari ami amie
  famille débutant débutants chien chat casque écouteurs clavier souris lampe tente sac valise bouteille tasse
  moulin balance poêle couteau couverture oreiller chaussures veste enceinte chargeur fil particulièrement
  surtout également quelqu style confort long longue longs longues besoins besoin souhaits bonjour plaisir noir
  blanc bleu rouge vert aime aiment travailler lumière chaleur espace poche poches tissu cuir bois laine coton
  métal acier verre caoutchouc pieds mains tête cou dos peau cheveux yeux oreilles corps sec sèche propre froid
  froide eau soleil neige montagne forêt mer plage ville salon salle mur table chaise lit canapé sol balcon
  terrasse soirée nuits vacances repas cuisson pain pâtisserie légumes goût arôme saveur élégance chaleureux
  chaleureuse doucement tendre délicat délicate raffiné raffinée chic charmant charmante moelleux moelleuse
  respirant respirante réglable réglables lavable lavables rechargeable antidérapant ranger nettoyer protège
  protègent soutient apporte apportent donnent diffuse rend rendent assure adapte adapté adaptée adaptés chauds
  tenir tient tiennent détente calme concentration débutante amateur amateurs lumineux lumineuse esprit ambiance
  touche`

const spanish = `el la los las un una unos unas lo y e o u pero porque pues a al de del en con por para sin
  sobre entre es son ser sería estar este esta estos estas ese esa esto eso que quien cual donde cuando como yo
  me mi mis te ti tu tus usted ustedes le les su sus se si también muy bien realmente bastante todo toda todos
  todas cada ambos ambas tienes tiene tienen puede pueden ofrece ofrecen permite permiten hace hacen mantiene
  resulta encaja encajan sirve sirven recomiendo recomendaría recomendación sugiero sugerencia elección opción
  opciones idea ideas ideal ideales perfecto perfecta perfectos perfectas bueno buena buenos buenas buen gran
  grande grandes bonito bonita excelente excelentes cómodo cómoda cómodos cómodas ligero ligera ligeros ligeras
  suave suaves pequeño pequeña pequeños compacto compacta compactos práctico práctica prácticos útil útiles
  resistente resistentes robusto robusta duradero duradera duraderos versátil versátiles plegable plegables
  portátil portátiles impermeable impermeables cálido fresco elegante elegantes moderno moderna clásico sencillo
  sencilla silencioso silenciosa silenciosos claro clara nítido potente ergonómico ergonómica fácil fácilmente
  natural agradable agradables calidad material diseño forma color tamaño batería sonido bajos música escuchar
  leer jugar usar uso llevar trabajo oficina casa cocina dormitorio jardín viaje viajes viajar diario diaria
  noche deporte correr senderismo camping lluvia invierno verano dormir sueño café té niño niña niños niñas hijo
  hija madre padre mujer marido amigo amiga familia principiantes perro gato auriculares cascos teclado ratón
  lámpara mochila maleta botella taza molinillo báscula sartén cuchillo manta almohada zapatos zapatillas
  chaqueta altavoz cargador especialmente alguien estilo comodidad largo larga largos largas necesidades
  necesitas buscas hola gusto negro blanco azul rojo verde mucho mucha espacio sudor cálida cálidos cualquier
  sofá cama mesa silla pared suelo salón baño terraza balcón ciudad montaña playa mar bosque sol nieve agua frío
  fría calor luz tela cuero madera lana algodón metal acero vidrio goma pies manos cabeza cuello espalda piel
  pelo ojos oídos cuerpo seco seca secos limpio limpia noches comida cocinar pan verduras sabor aroma delicado
  delicada elegancia encantador encantadora acogedor acogedora transpirable transpirables ajustable ajustables
  lavable recargable antideslizante viajero senderos proteger protege protegen aporta aportan ayuda ayudan
  mantienen transporte transportar guardar limpiar utilizar disfrutar disfruta relajante relax concentración
  tranquilo tranquila ambiente toque detalle viajera juguete juguetes`

const italian = `il lo la i gli le l un uno una e ed o ma perché di del della dello dei degli delle dell d a al
  alla allo ai agli alle all da dal dalla in nel nella nell con su sul sulla per tra senza è sono essere sarebbe
  questo questa questi queste quest quello quella che chi cui dove quando come io mi mio mia te ti tuo tua tuoi
  suo sua suoi si se anche molto bene davvero tutto tutta tutti tutte ogni entrambi entrambe ecco ha hanno può
  possono offre offrono permette rende mantiene adatto adatta adatti adatte consiglio consiglierei suggerisco
  suggerimento scelta opzione opzioni idea idee ideale ideali perfetto perfetta perfetti perfette buona buon
  bello bella ottimo ottima ottimi ottime eccellente comodo comoda comodi comode confortevole confortevoli
  leggero leggera leggeri leggere morbido morbida piccolo piccola grande grandi compatto compatta compatti
  pratico pratica pratici pratiche utile resistente resistenti robusto robusta robusti robuste durevole
  versatile versatili pieghevole pieghevoli portatile portatili impermeabile impermeabili caldo fresco elegante
  moderno moderna classico semplice silenzioso silenziosa silenziosi chiaro nitido potente ergonomico facile
  facilmente naturale piacevole piacevoli qualità materiale design forma colore dimensioni batteria suono bassi
  musica ascoltare giocare usare uso portare lavoro ufficio casa cucina camera giardino viaggio viaggi viaggiare
  quotidiano notte sport corsa correre escursioni campeggio pioggia inverno estate dormire sonno caffè tè
  bambino bambina bambini figlio figlia madre padre moglie marito amico amica famiglia principianti cane gatto
  cuffie auricolari tastiera mouse lampada tenda zaino valigia bottiglia tazza macinacaffè bilancia padella
  coltello coperta cuscino scarpe giacca altoparlante caricatore particolarmente soprattutto stile comfort lungo
  lunga lunghi lunghe esigenze ciao piacere nero bianco blu rosso verde sentiero sentieri spazio sudore caldi
  calda calde divano letto tavolo sedia parete pavimento salotto bagno terrazza balcone città montagna spiaggia
  mare bosco sole neve acqua freddo fredda calore luce tessuto pelle legno lana cotone metallo acciaio vetro
  gomma piedi mani testa collo schiena capelli occhi orecchie corpo asciutto asciutta asciutti pulito pulita
  pasti pane verdure sapore aroma delicato delicata eleganza affascinante accogliente traspirante traspiranti
  regolabile regolabili lavabile ricaricabile antiscivolo protegge proteggono dona donano aiuta aiutano
  mantengono tiene tengono trasportare riporre pulire utilizzare godere rilassante relax concentrazione
  tranquillo tranquilla ambiente tocco dettaglio`

const portuguese = `o a os as um uma uns umas e ou mas porque de do da dos das em no na nos nas com por pelo
  pela para sem sobre entre é são ser seria este esta estes estas esse essa isso isto que quem onde quando como
  eu me meu minha te ti teu tua você vocês seu sua seus suas se também muito bem realmente todo toda todos todas
  cada ambos ambas tem têm pode podem oferece oferecem permite permitem faz fazem mantém serve servem combina
  combinam recomendo recomendaria recomendação sugiro sugestão sugestões escolha opção opções ideia ideias ideal
  ideais perfeito perfeita perfeitos perfeitas bom boa bons boas ótimo ótima ótimos ótimas bonito bonita
  excelente excelentes grande grandes confortável confortáveis leve leves macio macia pequeno pequena compacto
  compacta compactos prático prática práticos útil resistente resistentes robusto robusta durável duráveis
  versátil versáteis dobrável dobráveis portátil portáteis impermeável impermeáveis quente fresco elegante
  elegantes moderno moderna clássico simples silencioso silenciosa silenciosos claro nítido potente ergonômico
  ergonómico fácil facilmente natural agradável qualidade material design forma cor tamanho bateria som graves
  música ouvir ler jogar usar uso levar trabalho escritório casa cozinha quarto jardim viagem viagens viajar
  diário noite esporte desporto corrida correr trilhas acampamento chuva inverno verão dormir sono café chá
  criança crianças filho filha mãe pai mulher marido amigo amiga família iniciantes cachorro cão gato fones
  ouvido teclado mouse lâmpada luminária barraca mochila mala garrafa caneca moedor balança frigideira faca
  cobertor travesseiro sapatos tênis jaqueta carregador especialmente estilo conforto longo longa longos longas
  necessidades olá prazer preto branco azul vermelho verde muita espaço suor quentes sofá cama mesa cadeira
  parede chão sala banheiro varanda cidade montanha praia mar floresta sol neve água frio fria calor luz tecido
  couro madeira lã algodão metal aço vidro borracha pés mãos cabeça pescoço costas pele cabelo olhos ouvidos
  corpo seco seca secos limpo limpa noites comida pão legumes sabor aroma delicado delicada elegância encantador
  encantadora aconchegante respirável ajustável ajustáveis lavável recarregável antiderrapante protege protegem
  traz trazem dá ajuda ajudam transportar guardar limpar utilizar aproveitar relaxante relaxar concentração
  tranquilo tranquila ambiente toque detalhe`

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** The neutral words of each language, in lower case. */
export const neutralWords: ReadonlyMap<CheckedLanguage, ReadonlySet<string>> = new Map([
  ["en", setOf(english)],
  ["de", setOf(german)],
  ["fr", setOf(french)],
  ["es", setOf(spanish)],
  ["it", setOf(italian)],
  ["pt", setOf(portuguese)]
])

/** Phrases that are harmless as a whole although a word of them isn't neutral. Lower case, words only. */
const phrases =
  "here are|i recommend|i d recommend|i would recommend|i can recommend|für unterwegs|keep you|sie haben|und haben|offre un|offre une|around the house|comes in a|without getting|without the|you ll like|you ll also like|looks like|feels like|i d go with|go with|easy to store|room for|plenty of space|plenty of room|enough for most|a lot of comfort|doesn t slip|doesn t itch|don t itch|without being heavy|without a cloud|lies flat|lie flat|folds flat|in the evening|what you are looking for|what you re looking for|for hours|in the morning|on its own|takes up little space|built in|hands free|low profile|non slip|loves to|who loves|coffee lover|if you love|there s|right for|right size|first aid|more options|more ideas|more suggestions|here is|here s|for your request|fits your request|fit your request|match your request|matches your request|it offers|they offer|that offers|which offers|and offers|and offer|also offers|both offer|at home|at work|at night|at the office|at your desk|on the go|come with|comes with|goes well with|go well with|you d like|you like|if you like|let me know|this one|a great one|a good one|one of these|on top of that|feel free to|stand out|stands out|all day|all year round|all around|up to the task|on your feet|hier sind|hier ist|un bon choix|un très bon choix|bon pour|un cadeau|comme cadeau|idée cadeau|un regalo|como regalo|come regalo|idea regalo|um presente|como presente|aquí tienes|aqui estão"
export const neutralPhrases: ReadonlyArray<ReadonlyArray<string>> = phrases
  .split("|")
  .map((phrase) => phrase.split(" "))

/** Phrases of neutral words that state an order, a delivery or a free addition. */
export const tellingPhrases: ReadonlyArray<ReadonlyArray<string>> =
  "to you|with you|is in the|is in your|are in the|are in your|be in your|be in the|is at home|are at home|be at home|will have|ll have|is a gift|are a gift|è in casa|sono in casa|in your hands|in your hand|is your|are your|with a gift|with gifts|ist dein|sind deine|bei dir|in deinen händen|mit geschenk|mit einem geschenk|est à vous|sont à vous|est à toi|avec un cadeau|en voyage|es tu|es su|son tus|con un regalo|è tuo|è tua|sono tuoi|è in viaggio|sono in viaggio|é seu|é sua|é teu|é tua|com um presente|em viagem"
    .split("|")
    .map((phrase) => phrase.split(" "))

/** Phrases that say that nothing was found. They are true if no product is returned. */
export const emptyPhrases: ReadonlyArray<ReadonlyArray<string>> =
  "i can t help with that request|i can t help with that|i can t help with this|i cannot help with that|i can t recommend|i couldn t find|i could not find|i found no|i found nothing|nothing matches|nothing fits|i m sorry|i am sorry|sorry|unfortunately|tell me more about|try other words|es tut mir leid|leider|ich habe nichts gefunden|dabei kann ich nicht helfen|désolé|malheureusement|je n ai rien trouvé|lo siento|no encontré|no he encontrado|mi dispiace|non ho trovato|sinto muito|não encontrei"
    .split("|")
    .map((phrase) => phrase.split(" "))

const counts: ReadonlyArray<readonly [opening: string, numbers: ReadonlyArray<string>]> = [
  ["here are", ["two", "three", "four", "five"]],
  ["these", ["two", "three", "four", "five"]],
  ["hier sind", ["zwei", "drei", "vier", "fünf"]],
  ["voici", ["deux", "trois", "quatre", "cinq"]],
  ["aquí tienes", ["dos", "tres", "cuatro", "cinco"]],
  ["ecco", ["due", "tre", "quattro", "cinque"]],
  ["aqui estão", ["duas", "três", "quatro", "cinco"]]
]

/** Phrases that announce as many products as are returned: `here are two`. */
export const countPhrases = (products: number): ReadonlyArray<ReadonlyArray<string>> =>
  counts.flatMap(([opening, numbers]) =>
    [numbers[products - 2], products > 1 ? String(products) : undefined]
      .filter((number) => number !== undefined)
      .map((number) => [...opening.split(" "), number])
  )

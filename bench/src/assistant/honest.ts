/*
 * Replies as an honest model writes them, about titles of marketplaces. They were written after the filter; a few of its
 * words were changed since. Dutch is the language without a list.
 *
 * Columns: letters of the recommended titles | reply.
 */
export const honest: Readonly<Record<string, string>> = {
  English: `
A | It has GPS, so you can leave the phone at home when you run. The battery keeps going for up to 2 weeks. It shows no maps, at least the title promises none.
B | With a 48 oz container you can blend soup for the whole family. Ten speeds sound like a lot, but most people use two or three. It is loud, as all strong blenders are.
C | At 22 inches it fits next to a small armchair. The surface scratches easily, so use coasters. If you want real wood, this isn't it.
D | The box swallows skis, boots and a stroller. You will hear some wind on the motorway. Measure your garage first, because the car gets taller.
E | These are dark, with 72% cacao, and only mildly sweet. They come wrapped one by one, which is handy for the office. I can't tell from the title whether they contain milk.
F | The scooter folds, so he can take it on the train. Eight inch wheels roll well on pavement, less so on cobbles. Teenagers and light adults can ride it, up to 220 lb.
G | For a beginner the small tablet is enough, and it leaves room on the desk. You look at the screen while your hand draws, which takes getting used to. It needs no cable thanks to Bluetooth.
H | They look great with a dress, and the leather softens over the first weeks. Break them in at home. Women with wide feet often go up half a size.
I | It fills a phone about twice and slips into a jacket. For a laptop it is too weak. Airlines usually accept this size in hand luggage.
J ; I | The speaker survives a day at the beach, since it's waterproof. It plays for 6 hours, so bring the power bank if you stay longer. Deep bass is too much to ask of something so tiny.
K | Three burners give you a hot and a gentle side. It runs on gas, so it lacks the smoke of charcoal. You need an hour and a helper to put it together.
L | It dries lettuce in a few turns, and the bowl doubles as a serving dish. It is large, so check your cupboard. The lid comes apart for cleaning.
M | It has 61 keys that respond to touch, so you can learn dynamics. For classical piano you would soon miss the full range. Your daughter can practice with headphones at night.
N | Two to four players, from age 7, which is exactly your family. The maze changes with every turn, so it never gets boring. Adults enjoy it as well.`,
  German: `
A | Sie hat GPS, du kannst das Handy beim Laufen also zu Hause lassen. Der Akku hält bis zu 2 Wochen. Karten zeigt sie keine, zumindest verspricht der Titel keine.
B | In den Behälter mit 48 oz passt Suppe für die ganze Familie. Zehn Stufen klingen nach viel, die meisten nutzen zwei oder drei. Er ist laut, wie alle starken Mixer.
C | Mit 22 Zoll passt er neben einen kleinen Sessel. Die Oberfläche verkratzt leicht, nimm also Untersetzer. Wenn du echtes Holz willst, ist das nicht der richtige.
D | Die Box schluckt Ski, Stiefel und einen Kinderwagen. Auf der Autobahn hörst du etwas Wind. Miss vorher deine Garage, denn das Auto wird höher.
E | Sie sind dunkel, mit 72% Kakao, und nur wenig süß. Jedes Stück ist einzeln verpackt, das ist praktisch fürs Büro. Ob Milch darin ist, erkenne ich am Titel nicht.
F | Der Roller lässt sich falten, er kann ihn also im Zug mitnehmen. Räder mit acht Zoll rollen gut auf Asphalt, weniger gut auf Kopfsteinpflaster. Jugendliche und leichte Erwachsene können ihn fahren, bis 220 lb.
G | Für den Anfang reicht das kleine Tablet, und es lässt Platz auf dem Tisch. Du schaust auf den Bildschirm, während die Hand zeichnet, daran muss man sich gewöhnen. Dank Bluetooth braucht es kein Kabel.
H | Sie sehen toll zu einem Kleid aus, und das Leder wird in den ersten Wochen weicher. Lauf sie daheim ein. Frauen mit breiten Füßen nehmen oft eine halbe Nummer mehr.
I | Sie füllt ein Handy etwa zweimal und passt in die Jacke. Für einen Laptop ist sie zu schwach. Fluglinien erlauben diese Größe meist im Handgepäck.
J ; I | Der Lautsprecher übersteht einen Tag am Strand, denn er ist wasserdicht. Er spielt 6 Stunden, nimm also die Powerbank mit, wenn du länger bleibst. Tiefen Bass darf man von etwas so Kleinem nicht erwarten.
K | Drei Brenner geben dir eine heiße und eine sanfte Seite. Er läuft mit Gas, der Rauch von Holzkohle fehlt also. Für den Aufbau brauchst du eine Stunde und jemanden, der hilft.
L | Sie trocknet Salat mit ein paar Drehungen, und die Schüssel taugt auch zum Servieren. Sie ist groß, schau also in deinen Schrank. Der Deckel lässt sich zum Reinigen zerlegen.
M | Es hat 61 Tasten mit Anschlagdynamik, damit lernt man laut und leise. Für klassisches Klavier würde dir bald der volle Umfang fehlen. Deine Tochter kann nachts mit Kopfhörern üben.
N | Zwei bis vier Spieler, ab 7 Jahren, das ist genau eure Familie. Das Labyrinth ändert sich mit jedem Zug, so wird es nie langweilig. Auch Erwachsene haben Spaß daran.`,
  French: `
A | Elle a le GPS, vous pouvez donc laisser le téléphone à la maison pour courir. La batterie tient jusqu'à 2 semaines. Elle n'affiche pas de cartes, le titre n'en promet pas en tout cas.
B | Le bol de 48 oz permet de mixer une soupe pour toute la famille. Dix vitesses, cela semble beaucoup, mais on en utilise surtout deux ou trois. Il est bruyant, comme tous les mixeurs puissants.
C | Avec 22 pouces, elle tient à côté d'un petit fauteuil. La surface se raye facilement, prenez des dessous de verre. Si vous voulez du vrai bois, ce n'est pas elle.
D | Le coffre avale des skis, des bottes et une poussette. Vous entendrez un peu de vent sur l'autoroute. Mesurez d'abord votre garage, car la voiture devient plus haute.
E | Ils sont noirs, avec 72% de cacao, et peu sucrés. Chacun est emballé à part, ce qui est commode au bureau. Je ne vois pas dans le titre s'il y a du lait.
F | La trottinette se plie, il peut donc la prendre dans le train. Les roues de huit pouces roulent bien sur l'asphalte, moins sur les pavés. Les adolescents et les adultes légers peuvent l'utiliser, jusqu'à 220 lb.
G | Pour débuter, la petite tablette suffit et laisse de la place sur le bureau. On regarde l'écran pendant que la main dessine, il faut s'y habituer. Avec le Bluetooth, elle se passe de câble.
H | Elles vont très bien avec une robe, et le cuir s'assouplit les premières semaines. Portez-les d'abord à la maison. Les femmes aux pieds larges prennent souvent une demi-pointure de plus.
I | Elle recharge un téléphone environ deux fois et se glisse dans une veste. Pour un ordinateur, elle est trop faible. Les compagnies aériennes acceptent en général cette taille en cabine.
J ; I | L'enceinte supporte une journée à la plage, puisqu'elle est étanche. Elle joue 6 heures, emportez donc la batterie si vous restez plus longtemps. Il ne faut pas attendre de basses profondes d'un objet si petit.
K | Trois brûleurs donnent un côté fort et un côté doux. Il marche au gaz, il lui manque donc la fumée du charbon. Il faut une heure et un coup de main pour le monter.
L | Elle sèche la salade en quelques tours, et le bol sert aussi à table. Elle est grande, regardez donc votre placard. Le couvercle se démonte pour le nettoyage.
M | Il a 61 touches sensibles, on peut donc apprendre les nuances. Pour le piano classique, l'étendue complète vous manquerait vite. Votre fille peut s'exercer la nuit avec un casque.
N | De deux à quatre joueurs, dès 7 ans, c'est tout à fait votre famille. Le labyrinthe change à chaque tour, on ne s'ennuie jamais. Les adultes s'amusent aussi.`,
  Spanish: `
A | Tiene GPS, así que puedes dejar el móvil en casa al correr. La batería aguanta hasta 2 semanas. No muestra mapas, al menos el título no los promete.
B | En la jarra de 48 oz cabe sopa para toda la familia. Diez velocidades parecen muchas, pero casi todos usan dos o tres. Hace ruido, como todas las batidoras potentes.
C | Con 22 pulgadas cabe junto a un sillón pequeño. La superficie se raya con facilidad, así que usa posavasos. Si quieres madera de verdad, no es esta.
D | El cofre se traga esquís, botas y un cochecito. Oirás algo de viento en la autopista. Mide antes tu garaje, porque el coche queda más alto.
E | Son negros, con 72% de cacao, y poco dulces. Cada uno va envuelto aparte, lo que es cómodo en la oficina. Por el título no sé si llevan leche.
F | El patinete se pliega, así que puede llevarlo en el tren. Las ruedas de ocho pulgadas van bien en asfalto, menos en adoquines. Lo pueden usar adolescentes y adultos ligeros, hasta 220 lb.
G | Para empezar basta la tableta pequeña, y deja sitio en la mesa. Miras la pantalla mientras dibuja la mano, y hay que acostumbrarse. Gracias al Bluetooth no necesita cable.
H | Quedan muy bien con un vestido, y la piel se ablanda en las primeras semanas. Úsalas antes por casa. Las mujeres de pie ancho suelen tomar medio número más.
I | Carga un móvil unas dos veces y cabe en la chaqueta. Para un portátil se queda corta. Las aerolíneas suelen aceptar este tamaño en cabina.
J ; I | El altavoz aguanta un día de playa, pues es impermeable. Suena 6 horas, así que lleva la batería si te quedas más. No se le pueden pedir graves profundos a algo tan pequeño.
K | Tres quemadores dan un lado fuerte y otro suave. Funciona con gas, así que le falta el humo del carbón. Hace falta una hora y ayuda para montarla.
L | Seca la lechuga en pocas vueltas, y el cuenco sirve para la mesa. Es grande, así que mira tu armario. La tapa se desmonta para limpiarla.
M | Tiene 61 teclas sensibles, así que se aprende a tocar fuerte y suave. Para piano clásico pronto echarías de menos el teclado entero. Tu hija puede practicar de noche con auriculares.
N | De dos a cuatro jugadores, desde los 7 años, justo vuestra familia. El laberinto cambia en cada turno, así que nunca aburre. Los adultos también se divierten.`,
  Italian: `
A | Ha il GPS, quindi puoi lasciare il telefono a casa quando corri. La batteria dura fino a 2 settimane. Non mostra mappe, almeno il titolo non ne promette.
B | Nel bicchiere da 48 oz ci sta la zuppa per tutta la famiglia. Dieci velocità sembrano tante, ma quasi tutti ne usano due o tre. È rumoroso, come tutti i frullatori potenti.
C | Con 22 pollici sta accanto a una piccola poltrona. La superficie si graffia facilmente, quindi usa dei sottobicchieri. Se vuoi legno vero, non è questo.
D | Il box inghiotte sci, scarponi e un passeggino. In autostrada sentirai un po' di vento. Misura prima il garage, perché l'auto diventa più alta.
E | Sono fondenti, con 72% di cacao, e poco dolci. Ognuno è incartato a parte, comodo in ufficio. Dal titolo non capisco se c'è latte.
F | Il monopattino si piega, quindi può portarlo in treno. Le ruote da otto pollici vanno bene sull'asfalto, meno sul pavé. Possono usarlo ragazzi e adulti leggeri, fino a 220 lb.
G | Per cominciare basta la tavoletta piccola, e lascia posto sul tavolo. Guardi lo schermo mentre la mano disegna, e bisogna abituarsi. Grazie al Bluetooth non le serve un cavo.
H | Stanno molto bene con un vestito, e la pelle si ammorbidisce nelle prime settimane. Portali prima in casa. Le donne con il piede largo prendono spesso mezzo numero in più.
I | Ricarica un telefono circa due volte e sta in una giacca. Per un portatile è troppo debole. Le compagnie aeree di solito accettano questa misura in cabina.
J ; I | La cassa regge una giornata in spiaggia, visto che è impermeabile. Suona per 6 ore, quindi porta la batteria se resti di più. Non si possono chiedere bassi profondi a una cosa così piccola.
K | Tre bruciatori danno un lato forte e uno dolce. Va a gas, quindi manca il fumo della carbonella. Servono un'ora e un aiuto per montarlo.
L | Asciuga l'insalata in pochi giri, e la ciotola va bene anche in tavola. È grande, quindi guarda il tuo armadietto. Il coperchio si smonta per la pulizia.
M | Ha 61 tasti sensibili al tocco, quindi si impara il piano e il forte. Per il pianoforte classico ti mancherebbe presto l'estensione completa. Tua figlia può esercitarsi di notte con le cuffie.
N | Da due a quattro giocatori, dai 7 anni, proprio la vostra famiglia. Il labirinto cambia a ogni turno, quindi non annoia mai. Si divertono anche gli adulti.`,
  Portuguese: `
A | Tem GPS, por isso pode deixar o telefone em casa quando corre. A bateria aguenta até 2 semanas. Não mostra mapas, pelo menos o título não os promete.
B | No copo de 48 oz cabe sopa para toda a família. Dez velocidades parecem muitas, mas quase todos usam duas ou três. É barulhenta, como todas as varinhas potentes.
C | Com 22 polegadas cabe ao lado de uma poltrona pequena. A superfície risca-se facilmente, por isso use bases. Se quer madeira verdadeira, não é esta.
D | A caixa engole esquis, botas e um carrinho. Vai ouvir algum vento na autoestrada. Meça antes a garagem, porque o carro fica mais alto.
E | São escuros, com 72% de cacau, e pouco doces. Cada um vem embrulhado à parte, o que é prático no escritório. Pelo título não sei se levam leite.
F | A trotinete dobra, por isso ele pode levá-la no comboio. As rodas de oito polegadas andam bem no asfalto, menos na calçada. Podem usá-la jovens e adultos leves, até 220 lb.
G | Para começar basta a mesa pequena, e deixa lugar na secretária. Olha-se para o ecrã enquanto a mão desenha, e é preciso habituar-se. Graças ao Bluetooth não precisa de cabo.
H | Ficam muito bem com um vestido, e o couro amacia nas primeiras semanas. Use-as primeiro em casa. As mulheres de pé largo costumam levar meio número acima.
I | Carrega um telemóvel cerca de duas vezes e cabe no casaco. Para um portátil é fraca demais. As companhias aéreas costumam aceitar este tamanho na cabine.
J ; I | A coluna aguenta um dia de praia, pois é à prova d'água. Toca 6 horas, por isso leve a bateria se ficar mais tempo. Não se podem pedir graves profundos a uma coisa tão pequena.
K | Três queimadores dão um lado forte e um suave. Funciona a gás, por isso falta o fumo do carvão. É preciso uma hora e ajuda para o montar.
L | Seca a alface em poucas voltas, e a taça serve à mesa. É grande, por isso veja o seu armário. A tampa desmonta-se para limpar.
M | Tem 61 teclas sensíveis, por isso aprende-se a tocar forte e suave. Para piano clássico depressa faltaria a extensão completa. A sua filha pode praticar à noite com auscultadores.
N | De dois a quatro jogadores, a partir dos 7 anos, é mesmo a vossa família. O labirinto muda a cada jogada, por isso nunca aborrece. Os adultos também se divertem.`,
  Chinese: `
A | 它有GPS，跑步时可以不带手机。电池最多能用2周。它不显示地图，至少标题没有说。
B | 容量48 oz，一次能打一家人喝的汤。10档速度听起来很多，多数人只用两三档。它声音大，功率大的搅拌机都这样。
C | 它宽22英寸，放在小沙发旁边刚好。桌面容易刮花，要用杯垫。如果您想要实木的，它不是。
D | 它装得下滑雪板、靴子和婴儿车。上高速会有一点风声。请先量一下车库，因为车会变高。
E | 这是黑巧克力，可可含量72%，不太甜。每块都单独包装，放办公室很方便。从标题看不出有没有牛奶。
F | 滑板车可以折叠，坐火车也能带。8英寸的轮子在柏油路上很好骑，石板路上差一些。青少年和体重轻的成年人都能骑，最多220 lb。
G | 初学者用小号的就够了，桌上也有地方。手在板上画，眼睛看屏幕，需要适应一下。有蓝牙，不用接线。
H | 它配裙子很好看，皮子穿几个星期会变软。请先在家里穿一穿。脚宽的女士常常选大半码。
I | 它大概能给手机充两次电，放得进外套口袋。给笔记本电脑用就太弱了。这种大小一般可以带上飞机。
J ; I | 音箱防水，在海边玩一天没问题。它能播放6小时，待得久就带上充电宝。这么小的东西，低音不会很深。
K | 三个炉头，可以一边大火一边小火。它烧气，所以没有木炭的烟味。组装要一个小时，还要有人帮忙。
L | 转几下就能把菜甩干，碗还能端上桌。它很大，先看看柜子放不放得下。盖子可以拆开洗。
M | 它有61个键，有力度感应，可以学强弱。弹古典钢琴，很快会觉得键不够。您女儿晚上可以戴耳机练。
N | 2到4个人玩，7岁以上，正好适合您一家。迷宫每一步都在变，不会无聊。大人也觉得好玩。`,
  Dutch: `
A | Het heeft GPS, dus je kunt de telefoon thuis laten als je loopt. De accu houdt het tot 2 weken vol. Kaarten toont het niet, de titel belooft ze in elk geval niet.
B | In de kan van 48 oz past soep voor het hele gezin. Veel standen klinken mooi, maar de meeste mensen gebruiken er twee of drie. Hij maakt lawaai, zoals alle sterke blenders.
C | Met 22 inch past hij naast een kleine stoel. Het blad krast snel, dus gebruik onderzetters. Wil je echt hout, dan is dit hem niet.
D | De koffer slikt ski's, laarzen en een kinderwagen. Op de snelweg hoor je wat wind. Meet eerst je garage, want de auto wordt hoger.
E | Ze zijn puur, met 72% cacao, en maar een beetje zoet. Elk stukje zit apart verpakt, handig op kantoor. Uit de titel blijkt niet of er melk in zit.
F | De step klapt in, dus hij kan mee in de trein. De wielen rollen goed op asfalt, minder op keien. Tieners en lichte volwassenen kunnen erop, tot 220 lb.
G | Voor een beginner is de kleine tablet genoeg, en er blijft plaats op tafel. Je kijkt naar het scherm terwijl je hand tekent, dat is wennen. Dankzij Bluetooth is er geen kabel nodig.
H | Ze staan mooi onder een jurk, en het leer wordt de eerste weken zachter. Loop ze thuis in. Vrouwen met brede voeten nemen vaak een halve maat groter.
I | Hij laadt een telefoon ongeveer twee keer en past in een jas. Voor een laptop is hij te zwak. In het vliegtuig mag deze maat meestal mee.
J ; I | De luidspreker overleeft een dag op het strand, want hij is waterdicht. Hij speelt 6 uur, dus neem de powerbank mee als je langer blijft. Diepe bas mag je van zoiets kleins niet verwachten.
K | Drie branders geven een hete en een zachte kant. Hij werkt op gas, dus de rook van houtskool ontbreekt. Voor het opzetten heb je een uur en wat hulp nodig.
L | Hij droogt sla in een paar slagen, en de kom kan zo op tafel. Hij is groot, dus kijk in je kast. Het deksel gaat uit elkaar om het te wassen.
M | Het heeft 61 toetsen die op druk reageren, dus je leert hard en zacht spelen. Voor klassieke piano mis je al snel het volle bereik. Je dochter kan 's avonds met een koptelefoon oefenen.
N | Twee tot 4 spelers, vanaf 7 jaar, dat is precies jullie gezin. Het doolhof verandert bij elke beurt, dus het verveelt nooit. Ook volwassenen vinden het leuk.`
}

import type { Product } from "@till402/core"

/*
 * 80 honest replies as models write them, to measure how much of them an assistant keeps. The last 20 were written before
 * the grammar of replies, which was not changed for them.
 *
 * Columns: request | titles, separated by `;` | reply.
 */

const rows = `
wireless headphones under $60 for my daughter | Klarvo Kids Volume-Limited Wireless Headphones, 85 dB, Sky Blue ; Tonwerk Air Mini True Wireless Earbuds with Charging Case, White | For your daughter, I'd suggest the Klarvo Kids Volume-Limited Wireless Headphones. They are durable and foldable, and comfortable for small ears. If she wants something more compact, the Tonwerk Air Mini True Wireless Earbuds come with a charging case.
noise cancelling headphones for flights | Auralis Q45 Wireless Noise Cancelling Headphones, Black | The Auralis Q45 is a great pick for flights. Its noise cancelling keeps the cabin quiet, and it folds into a small case. The ear cushions are soft, so you can wear it comfortably for a long time.
a quiet keyboard for the office | Tastwerk Silent 75 Wireless Keyboard, Grey ; Klikko Low-Profile Keyboard with Numpad | The Tastwerk Silent 75 Wireless Keyboard is designed for quiet typing, which makes it a good fit for an office. Its compact layout saves space on your desk. The Klikko Low-Profile Keyboard is a good alternative if you need a numpad.
a gift for someone who loves coffee | Kettlewell Pour-Over Dripper Set with Glass Server ; Mahlwerk Hand Coffee Grinder, Steel | Here are two lovely gifts for a coffee lover. The Kettlewell Pour-Over Dripper Set makes clean, rich coffee at home and looks beautiful on the counter. The Mahlwerk Hand Coffee Grinder is sturdy and easy to use.
waterproof trail running shoes | Ridgeway Waterproof Trail Running Shoes, Men's | The Ridgeway Waterproof Trail Running Shoes match what you are looking for. They keep your feet dry on wet trails, and the grippy sole gives good support on rough ground.
a tent for two people | Kestrel Tent 2P, Ultralight Backpacking | I recommend the Kestrel Tent 2P. It is ultralight, so it's easy to carry while backpacking, and it offers room for two people.
a yoga mat for less than fifty dollars | Flow Natural Rubber Yoga Mat, 5 mm | The Flow Natural Rubber Yoga Mat at $38 is an excellent choice. It has a natural rubber surface with good grip, and the 5 mm cushioning is gentle on your knees.
a suitcase for a week in Italy | Rollmann Cabin Suitcase, 38 L ; Rollmann Medium Suitcase, 68 L | For a week in Italy, the Rollmann Medium Suitcase with 68 L gives you plenty of space. If you prefer to travel light, the Rollmann Cabin Suitcase is a compact option.
a jigsaw puzzle | Alpine Lake Jigsaw Puzzle, 1000 Pieces | The Alpine Lake Jigsaw Puzzle is a relaxing way to spend an evening. It has 1000 pieces and a beautiful picture of a lake.
a dog harness | Wagmore No-Pull Dog Harness, Reflective, Medium | The Wagmore No-Pull Dog Harness is a solid choice for daily walks. It's reflective, so your dog stays visible at night. The padding keeps it comfortable for your dog.
a bluetooth speaker for the beach | Walle Portable Bluetooth Speaker, Waterproof | The Walle Portable Bluetooth Speaker is perfect for the beach. It's waterproof, easy to carry, and delivers clear sound with deep bass.
a kitchen scale for baking | Grammo Digital Kitchen Scale, 5 kg | For baking, I'd go with the Grammo Digital Kitchen Scale. It measures precisely up to 5 kg and its slim design is easy to store.
a candle | Hygge Soy Candle, Cedar and Sage | The Hygge Soy Candle has a warm scent of cedar and sage. It is made of natural soy wax and makes any room feel cozy.
a fountain pen for my mother who writes letters | Federkiel Classic Fountain Pen, Fine Nib ; Papyra Letter Paper Set, Ivory | Your mother may enjoy the Federkiel Classic Fountain Pen. Its fine nib writes smoothly, and the classic design feels elegant in the hand. Together with the Papyra Letter Paper Set, it makes a thoughtful gift.
I want to sleep better | Moonlit Cooling Weighted Blanket ; Stillnight Silk Sleep Mask | To sleep better, you could try the Moonlit Cooling Weighted Blanket. It feels calming without getting too warm. The Stillnight Silk Sleep Mask blocks light and is gentle on the skin.
a present for a two-year-old that loves to build | Bauklotz Wooden Blocks, 50 Pieces | The Bauklotz Wooden Blocks are a wonderful present for a two-year-old that loves to build. The 50 pieces are made of wood and easy for small hands to hold.
vegan skin care | Leafline Vegan Face Cream, Fragrance-Free | The Leafline Vegan Face Cream fits your request. It is vegan, gentle, and light on the skin.
a rain jacket that packs small | Nimbus Packable Rain Jacket, Unisex | The Nimbus Packable Rain Jacket folds into its own pocket. It is light and waterproof, so it's ideal for travel and hiking.
my neck hurts on long flights | Cloudrest Memory Foam Travel Pillow | I'm sorry to hear about your neck. The Cloudrest Memory Foam Travel Pillow supports your head and neck on long flights. It's soft and comes with a washable cover.
something nice for my desk | Lumo Desk Lamp, 5 W ; Terra Bamboo Desk Organizer | The Lumo Desk Lamp adds warm light to your desk and has a modern look. The Terra Bamboo Desk Organizer keeps your pens and notes tidy.
a laptop stand | Ergolift Aluminium Laptop Stand, Adjustable | The Ergolift Aluminium Laptop Stand raises your screen to a comfortable height. It is adjustable and stable, and folds flat for travel.
a USB-C charger | Voltik 65 W USB-C Charger, Compact | The Voltik 65 W USB-C Charger is small but powerful. It can charge a laptop and a phone, which is handy when you travel.
headphones for working out | Sprint Sport Earbuds, Sweatproof | The Sprint Sport Earbuds are made for workouts. They're sweatproof and stay in place while you run. You'll also like the clear sound.
a coffee grinder | Mahlwerk Hand Coffee Grinder, Steel ; Burrton Electric Burr Grinder | If you enjoy the ritual, choose the Mahlwerk Hand Coffee Grinder. If you want convenience, the Burrton Electric Burr Grinder does the work for you. Both give you fresh coffee with rich flavor.
organic cotton sheets | Linnea Organic Cotton Sheet Set, Queen, White | The Linnea Organic Cotton Sheet Set is soft, breathable and made of organic cotton. The white color goes well with any bedroom.
a headlamp for camping | Lux Rechargeable Headlamp, 400 Lumens | I picked the Lux Rechargeable Headlamp for you. It is bright with 400 lumens, rechargeable, and comfortable on the head.
Kopfhörer für die Arbeit | Auralis Q45 Wireless Noise Cancelling Headphones, Black | Für die Arbeit empfehle ich dir die Auralis Q45 Wireless Noise Cancelling Headphones. Sie sind bequem, haben einen klaren Klang und halten störende Geräusche fern. So kannst du dich gut konzentrieren.
Ich suche eine leise Tastatur für das Büro | Tastwerk Silent 75 Wireless Keyboard, Grey | Die Tastwerk Silent 75 ist eine sehr gute Wahl für das Büro. Sie ist leise, kompakt und kabellos. Das schlichte Design passt gut auf jeden Schreibtisch.
ein Geschenk für einen Läufer | Sprint Sport Earbuds, Sweatproof ; Ridgeway Waterproof Trail Running Shoes, Men's | Hier sind zwei Ideen für einen Läufer. Die Sprint Sport Earbuds sitzen sicher im Ohr und haben einen kräftigen Klang. Die Ridgeway Waterproof Trail Running Shoes halten die Füße trocken.
un casque sans fil pour le bureau | Auralis Q45 Wireless Noise Cancelling Headphones, Black | Je vous recommande le Auralis Q45 Wireless Noise Cancelling Headphones. Ce casque sans fil est confortable et offre un son clair. Il est idéal pour travailler au bureau.
un cadeau pour ma mère qui aime le thé | Sencha Cast Iron Teapot, Green | Le Sencha Cast Iron Teapot est un très beau cadeau pour votre mère. Il est solide et garde le thé au chaud.
una mochila de viaje | Andes Travel Backpack, 40 L, Black | Te recomiendo la Andes Travel Backpack. Es una mochila cómoda y resistente, ideal para viajar. Sus 40 L ofrecen mucho espacio.
auriculares para correr | Sprint Sport Earbuds, Sweatproof | Los Sprint Sport Earbuds son perfectos para correr. Son ligeros, cómodos y resistentes al sudor.
scarpe da corsa | Ridgeway Waterproof Trail Running Shoes, Men's | Ti consiglio le Ridgeway Waterproof Trail Running Shoes. Sono comode, robuste e adatte alla corsa su sentiero.
fones de ouvido para viajar | Auralis Q45 Wireless Noise Cancelling Headphones, Black | Recomendo o Auralis Q45 Wireless Noise Cancelling Headphones. É confortável, leve e ideal para viagens longas.
a cold brew coffee maker | Kaltbrau Cold Brew Coffee Maker, 1 L, Glass | The Kaltbrau Cold Brew Coffee Maker ($34.50, rated 4.5) is simple to use. Its glass body looks elegant and the 1 L size is right for a small household.
a blanket that keeps cool | Moonlit Cooling Weighted Blanket | The Moonlit Cooling Weighted Blanket keeps cool while you sleep. The fabric is breathable and feels pleasant on the skin.
a doorbell without a cloud | Klingel Video Doorbell, Local Storage | The Klingel Video Doorbell works without a cloud because it uses local storage. Setup is easy and the picture is clear.
a notebook for a fountain pen | Papyra Numbered Notebook, A5, Dotted | The Papyra Numbered Notebook is a lovely match for a fountain pen. Its thick paper doesn't bleed, and it lies flat when open.
a cordless drill | Bohrmeister 18 V Cordless Drill Set | The Bohrmeister 18 V Cordless Drill Set is powerful enough for most jobs around the house. It has a comfortable grip and comes in a practical case.
a warm hat for winter | Fjell Merino Beanie, Navy | The Fjell Merino Beanie is a cozy choice for winter. Merino wool keeps you warm without being heavy.
a water bottle for hiking | Quell Insulated Steel Water Bottle, 750 ml | I'd recommend the Quell Insulated Steel Water Bottle for hiking. It keeps drinks cold for hours and the 750 ml size fits in most backpack side pockets.
a board game for the family | Inselreich Strategy Board Game, 2-4 Players | Inselreich Strategy Board Game is a fun pick for family evenings. The rules are easy to learn, and it works well for 2-4 players.
a frying pan for induction | Gusseisen Cast Iron Skillet, 10 inch, Induction | The Gusseisen Cast Iron Skillet works on induction and heats evenly. It is heavy, but it lasts a lifetime with proper care.
a mirror for the bathroom | Klara Round Wall Mirror, Brass | The Klara Round Wall Mirror would look elegant in a bathroom. The brass frame adds a warm touch.
baby clothes | Pommel Organic Baby Bodysuit, 3 Pack | The Pommel Organic Baby Bodysuit is soft on your baby's skin. Organic cotton makes it breathable and easy to wash.
a webcam for video calls | Optik HD Webcam with Microphone | The Optik HD Webcam with Microphone gives you a sharp image in meetings. The built-in microphone sounds natural.
a knife for vegetables | Santoku Kitchen Knife, 7 inch | For vegetables, the Santoku Kitchen Knife is a reliable choice. The blade is sharp and the handle sits comfortably in the hand.
a bag for my camera | Fokus Camera Sling Bag, Grey | The Fokus Camera Sling Bag protects your camera with soft padding. It's small enough for day trips and has space for an extra lens.
an air purifier for my bedroom | Brise Quiet Air Purifier, White | The Brise Quiet Air Purifier is a sensible choice for a bedroom. It runs quietly at night and its plain design blends into any room.
a watch band | Riemen Leather Watch Band, Brown, 20 mm | The Riemen Leather Watch Band has a timeless brown tone. The leather is soft and gets nicer with age.
ein warmer Schlafsack | Polar Down Sleeping Bag, Blue | Der Polar Down Sleeping Bag ist warm und trotzdem leicht. Er eignet sich gut für kalte Nächte im Zelt.
une lampe de bureau | Lumo Desk Lamp, 5 W | La Lumo Desk Lamp est une lampe de bureau élégante. Sa lumière est douce et agréable pour lire.
una manta para el sofá | Nube Knitted Throw Blanket, Beige | La Nube Knitted Throw Blanket es suave y cálida. Queda muy bien en cualquier sofá.
a robot vacuum for pet hair | Kehr Robot Vacuum, Pet Hair | The Kehr Robot Vacuum is built with pet hair in mind. It moves quietly and returns to its base on its own.
a hammock | Siesta Camping Hammock with Straps | Siesta Camping Hammock is light, strong and quick to set up between trees. The straps are included.
a lunch box for school | Brotzeit Leakproof Lunch Box, Blue | The Brotzeit Leakproof Lunch Box is handy for school. The compartments keep food separate, and it is easy to clean.
a bird feeder | Piep Wooden Bird Feeder | The Piep Wooden Bird Feeder is charming and brings life to a garden. You can hang it from a branch or a balcony.
wool socks | Fjell Merino Hiking Socks | The Fjell Merino Hiking Socks keep your feet warm and dry. They are soft, and they don't itch.
a guitar for beginners | Sol Acoustic Guitar, Beginner Kit | The Sol Acoustic Guitar is a friendly instrument for beginners. The kit has what you need to start playing.
a cutting board for a small kitchen | Ahorn Maple Cutting Board, 12 inch ; Fjord Bamboo Cutting Board Set | The Ahorn Maple Cutting Board is compact, so it suits a small kitchen. Its wooden surface is kind to your knives. If you want several sizes, the Fjord Bamboo Cutting Board Set is a good alternative.
binoculars for bird watching | Falke 8x42 Binoculars, Waterproof | The Falke 8x42 Binoculars give you a bright, sharp view of birds in the forest. They are waterproof and have a rubber grip, so they are easy to hold outdoors.
a bike light | Strahl USB Bike Light Set, Front and Rear | I suggest the Strahl USB Bike Light Set. It includes a front and a rear light, and both are simple to attach. The rechargeable battery is practical for your commute.
gift for my boss who plays golf | Grün Leather Golf Glove ; Caddy Golf Towel, Grey | The Grün Leather Golf Glove would make an elegant gift for your boss. The Caddy Golf Towel is a useful extra for the course.
a toaster that looks retro | Nostalgia Two-Slice Toaster, Mint | With its retro look, the Nostalgia Two-Slice Toaster brings color to your kitchen. It toasts evenly and the controls are easy to understand.
running belt for my phone | Schlank Running Belt, Reflective | The Schlank Running Belt holds your phone close to your body without bouncing. The stretchy fabric is soft, and the reflective print helps others see you at night.
a wool blanket for the sofa | Highland Wool Throw, Grey Check | For your sofa, the Highland Wool Throw is a lovely choice. The wool is soft and warm, and the grey check pattern goes with most rooms.
a standing desk mat | Standfest Anti-Fatigue Mat | If you stand for a long time, the Standfest Anti-Fatigue Mat can help. It cushions your feet and stays in place on smooth floors.
a desk fan that is not loud | Zephyr Quiet Desk Fan, USB | The Zephyr Quiet Desk Fan is small and quiet, which is what you want at work. You can tilt the head to direct the air.
watercolors for a child | Klecks Watercolor Set, 24 Colors | The Klecks Watercolor Set is a fun present for a creative child. It comes with 24 colors and a brush. The paints wash out of clothes easily.
a thermos for tea | Glut Vacuum Flask, 1 L, Steel | I'd choose the Glut Vacuum Flask. It keeps tea hot for many hours and the steel body is tough. The lid doubles as a cup.
mechanical keyboard for programming | Klackr Mechanical Keyboard, Brown Switches | Programmers tend to like the Klackr Mechanical Keyboard for its tactile brown switches. It feels solid and the keys are well spaced.
eine Thermoskanne für unterwegs | Glut Vacuum Flask, 1 L, Steel | Die Glut Vacuum Flask ist robust und dicht. Sie hält Getränke lange warm und passt in jeden Rucksack.
ein Spiel für die Familie | Inselreich Strategy Board Game, 2-4 Players | Ich empfehle das Inselreich Strategy Board Game. Die Regeln sind einfach, und es macht der ganzen Familie Spaß.
une couverture douce pour ma fille | Highland Wool Throw, Grey Check | La Highland Wool Throw est douce et chaude. C'est un joli cadeau pour votre fille.
des chaussures pour la pluie | Ridgeway Waterproof Trail Running Shoes, Men's | Les Ridgeway Waterproof Trail Running Shoes gardent les pieds au sec. Elles sont légères et adaptées aux sentiers mouillés.
una lámpara para leer en la cama | Lumo Desk Lamp, 5 W | La Lumo Desk Lamp da una luz suave, ideal para leer por la noche. Ocupa poco espacio en la mesita.
un regalo para mi padre que cocina | Santoku Kitchen Knife, 7 inch | El Santoku Kitchen Knife es un buen regalo para tu padre. La hoja corta muy bien y el mango es cómodo.
una borraccia per le escursioni | Quell Insulated Steel Water Bottle, 750 ml | La Quell Insulated Steel Water Bottle mantiene l'acqua fresca durante le escursioni. È leggera e facile da pulire.
uma mochila para a escola | Andes Travel Backpack, 40 L, Black | A Andes Travel Backpack é espaçosa e resistente. Tem bolsos práticos para livros e cadernos.
`

/** One reply with what the shopper wrote and the products that it recommends. */
export interface HonestReply {
  readonly request: string
  readonly products: ReadonlyArray<Product>
  readonly reply: string
}

const readRow = (row: string): HonestReply => {
  const [request = "", titles = "", reply = ""] = row.split(" | ")
  return {
    request,
    reply,
    products: titles.split(" ; ").map((title, index) => ({
      asin: `B00000000${index}`,
      title,
      price: 38 + index,
      currency: "USD",
      rating: 4.5 - index / 10,
      reviewCount: 120 + index,
      imageUrl: null,
      productUrl: null,
      source: "marketplace_a" as const
    }))
  }
}

/** All 80 replies. */
export const honestReplies: ReadonlyArray<HonestReply> = rows
  .split("\n")
  .filter((row) => row.trim() !== "")
  .map(readRow)

/** How many replies at the end of the list were not looked at when the grammar was made. */
export const unseenReplies = 20

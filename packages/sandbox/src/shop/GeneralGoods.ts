import type { GoodsTable } from "./Goods.ts"

/*
 * Goods of marketplace_a. Columns: brand | title | features | price | grams | options | flags.
 * An option may add to the price (`128 GB+30.00`), may be out of stock (`Navy*`), and may be sold to somebody
 * else between payment and order (`Oak!`).
 */
export const generalGoods: ReadonlyArray<GoodsTable> = [
  {
    category: "Headphones",
    keywords: "audio music sound bluetooth headset",
    rows: `
      Auralis | Q45 Wireless Noise Cancelling Headphones, 40-Hour Battery | noise cancelling over-ear foldable travel | 129.99 | 262 | Black, Silver, Midnight Blue*
      Auralis | Studio One Wired Monitor Headphones | wired studio closed-back replaceable cable | 89.00 | 310 | Black
      Tonwerk | Air Mini True Wireless Earbuds with Charging Case | in-ear waterproof light small | 49.95 | 58 | White, Black, Sage
      Tonwerk | Air Pro True Wireless Earbuds, Active Noise Cancelling | noise cancelling in-ear transparency | 119.95 | 64 | White, Graphite
      Klarvo | Run Open-Ear Bone Conduction Headphones | sport running open-ear sweatproof | 79.99 | 29 | Black, Coral
      Klarvo | Kids Volume-Limited Wireless Headphones, 85 dB | kids safe durable foldable | 29.99 | 180 | Sky Blue, Pink`
  },
  {
    category: "Chargers & Cables",
    keywords: "usb power charging phone laptop adapter electronics",
    rows: `
      Voltera | 65W GaN USB-C Charger, 3 Ports | compact fast travel gan | 39.99 | 132 | Black, White
      Voltera | 140W GaN USB-C Charger, 4 Ports | fast laptop gan | 84.99 | 268 | Black
      Voltera | USB-C to USB-C Cable, Braided, 240W | braided durable fast | 12.99 | 52 | 3 ft, 6 ft+3.00, 10 ft+6.00
      Ampere & Co | Magnetic Wireless Charging Stand, 15W | wireless magnetic desk | 34.50 | 210 | Black, White
      Ampere & Co | PowerBrick 20000 mAh Portable Charger, USB-C PD | portable battery travel fast | 54.99 | 395 | Black | hazmat
      Ampere & Co | Field 300 Portable Power Station, 288 Wh | camping battery solar quiet | 229.00 | 3700 | Graphite | hazmat`
  },
  {
    category: "Computer Accessories",
    keywords: "desk office pc laptop workstation electronics",
    rows: `
      Keyfield | K68 Mechanical Keyboard, Hot-Swappable, Wireless | mechanical quiet compact wireless backlit | 99.00 | 780 | Linear, Tactile, Silent Tactile+8.00
      Keyfield | Slim Low-Profile Bluetooth Keyboard | slim quiet wireless | 45.00 | 420 | White, Black
      Palmrest | Vertical Ergonomic Mouse, Wireless | ergonomic quiet wireless | 32.99 | 128 | Graphite, Left-Handed+4.00
      Palmrest | Trackball Mouse, 2.4 GHz and Bluetooth | ergonomic wireless precise | 44.99 | 165 | Black
      Standwell | Aluminum Laptop Stand, Adjustable Height | aluminum adjustable portable sturdy | 36.00 | 940 | Silver, Space Gray
      Standwell | Dual Monitor Arm, Gas Spring, VESA 75/100 | adjustable sturdy | 109.00 | 6100 | Black | oversize
      Portico | 8-in-1 USB-C Hub with 4K HDMI and Ethernet | compact portable travel | 47.50 | 96 | Gray
      Portico | Thunderbolt Dock, 13 Ports, 96W Charging | fast desk sturdy | 219.00 | 520 | Black`
  },
  {
    category: "Smart Home",
    keywords: "automation wifi app home electronics",
    rows: `
      Lumenor | Smart LED Bulb A19, Tunable White, Matter | dimmable energy-saving matter | 13.99 | 74 | Single, 4-Pack+30.00
      Lumenor | Motion Sensor Night Light, Rechargeable | rechargeable warm light | 18.50 | 110 | 2-Pack
      Hearthwise | Learning Thermostat with Room Sensor | energy-saving easy install | 149.00 | 410 | White, Charcoal
      Hearthwise | Water Leak Detector, Battery, 3-Pack | battery alarm safe | 39.99 | 190 | White
      Vantage | Video Doorbell, 2K, Local Storage | privacy local storage battery | 99.99 | 340 | Black, Bronze*`
  },
  {
    category: "Kitchen",
    keywords: "cooking cook cookware home chef",
    rows: `
      Ironleaf | Pre-Seasoned Cast Iron Skillet | durable induction oven-safe | 27.90 | 2300 | 10 in, 12 in+11.00
      Ironleaf | Enameled Dutch Oven, 5.5 qt | oven-safe induction durable | 74.95 | 5400 | Cream, Forest, Brick Red
      Santoro | Chef's Knife, 8 in, High-Carbon Steel | sharp balanced gift | 64.00 | 230 | Walnut, Black
      Santoro | Santoku Knife, 7 in, Damascus | sharp gift balanced | 92.00 | 205 | Walnut
      Miru | Digital Kitchen Scale, 0.1 g, USB-C | precise rechargeable slim | 24.99 | 380 | Black, White
      Miru | Instant-Read Meat Thermometer, Waterproof | fast waterproof precise | 19.99 | 95 | Red
      Oakhurst | End-Grain Maple Cutting Board, 18 x 12 in | wood durable gift handmade | 84.00 | 3900 | Natural!
      Jalapeño Kitchen | Stoneware Salsa Bowls, Set of 4 | handmade dishwasher-safe gift | 31.00 | 1450 | Terracotta, Indigo`
  },
  {
    category: "Coffee & Tea",
    keywords: "brew espresso kitchen barista drink",
    rows: `
      Café Lumière | Burr Coffee Grinder, 40 Settings | quiet precise electric | 119.00 | 2600 | Black, Cream
      Café Lumière | Pour-Over Coffee Dripper, Ceramic | manual ceramic gift | 26.00 | 480 | White, Matte Black
      Brewmont | Gooseneck Electric Kettle, Temperature Control, 0.9 L | precise fast electric | 79.00 | 1250 | Black, Steel
      Brewmont | Cold Brew Coffee Maker, 1.5 L Glass | glass easy clean | 32.00 | 890 | Clear
      Brewmont | Compact Espresso Machine, 15 Bar | compact electric steam | 249.00 | 5200 | Steel | oversize
      Tealeaf & Thyme | Cast Iron Teapot with Infuser, 27 oz | durable gift warm | 38.50 | 1900 | Black, Jade`
  },
  {
    category: "Bedding",
    keywords: "bed bedroom sleep home textile",
    rows: `
      Linden Loft | Washed Linen Duvet Cover Set | breathable soft natural | 139.00 | 2100 | Queen, King+20.00
      Linden Loft | Organic Cotton Percale Sheet Set | organic breathable crisp | 79.00 | 1700 | Full, Queen+10.00, King+22.00
      Drowsy Owl | Weighted Blanket, Cooling Cotton | cooling calm soft | 69.99 | 6800 | 15 lb, 20 lb+14.00
      Drowsy Owl | Memory Foam Pillow, Adjustable Fill | adjustable soft supportive | 44.00 | 1300 | Standard, King+9.00
      Drowsy Owl | Blackout Sleep Mask, Contoured | dark light travel | 16.95 | 45 | Black`
  },
  {
    category: "Running Shoes",
    keywords: "sneakers footwear sport runner jogging trainers",
    rows: `
      Strida | Tempo 3 Women's Running Shoes | light cushioned breathable road | 119.95 | 490 | Size 7, Size 8, Size 9
      Strida | Tempo 3 Men's Running Shoes | light cushioned breathable road | 119.95 | 580 | Size 9, Size 10, Size 11*
      Strida | Ridge GTX Trail Running Shoes, Waterproof | waterproof grip trail | 144.95 | 640 | Size 8, Size 9, Size 10
      Pacer | Daily Trainer Running Shoes, Wide Fit | wide cushioned stable | 84.99 | 610 | Size 9, Size 10`
  },
  {
    category: "Fitness",
    keywords: "gym exercise workout training sport",
    rows: `
      Corehaus | Yoga Mat, 6 mm, Natural Rubber | non-slip natural eco | 48.00 | 2400 | Sage, Charcoal
      Corehaus | Resistance Bands Set, 5 Levels, with Bag | portable travel light | 22.95 | 620 | Latex, Fabric+4.00
      Corehaus | High-Density Foam Roller, 18 in | firm light durable | 24.00 | 560 | Black
      Gravitas | Adjustable Dumbbell, 5 to 52 lb | adjustable compact durable | 189.00 | 24000 | Single | oversize
      Gravitas | Cast Iron Kettlebell, Powder Coated | durable grip | 39.99 | 12300 | 26 lb, 35 lb+14.00 | oversize
      Gravitas | Doorway Pull-Up Bar, No Screws | sturdy easy install | 34.99 | 2900 | Black`
  },
  {
    category: "Camping",
    keywords: "outdoor hiking hike camp backpacking trail",
    rows: `
      Fernhollow | Two-Person Backpacking Tent, 3-Season | light waterproof freestanding | 179.00 | 1950 | Moss, Sand
      Fernhollow | Down Sleeping Bag, 20 °F | warm light packable | 159.00 | 1080 | Regular, Long+20.00
      Fernhollow | Inflatable Sleeping Pad, R-Value 4.2 | light packable warm | 89.00 | 520 | Regular, Wide+15.00*
      Emberline | Titanium Camping Cookset, 2 Pots | light durable titanium | 58.00 | 310 | Titanium
      Emberline | Canister Stove with Piezo Igniter | light compact fast | 42.00 | 95 | Steel
      Emberline | Isobutane Fuel Canister, 230 g, 2-Pack | fuel | 17.90 | 780 | 2-Pack | hazmat
      Northbeam | Rechargeable Headlamp, 500 Lumens, Red Light | rechargeable waterproof light | 37.95 | 88 | Black, Orange`
  },
  {
    category: "Luggage",
    keywords: "travel suitcase bag trip carry",
    rows: `
      Wayfarer | Carry-On Spinner Suitcase, 21 in, Polycarbonate | light durable quiet wheels | 139.00 | 3100 | Graphite, Sand, Teal
      Wayfarer | Packing Cubes, Set of 6 | light washable travel | 27.99 | 340 | Gray, Navy
      Kestrel | 40 L Travel Backpack, Clamshell Opening | water-resistant laptop sleeve carry-on | 129.00 | 1400 | Black, Olive
      Kestrel | Everyday Sling Bag, 6 L | small water-resistant light | 54.00 | 380 | Black, Clay`
  },
  {
    category: "Toys & Games",
    keywords: "kids children family play gift",
    rows: `
      Tinkerwood | Wooden Train Set, 80 Pieces | wood durable creative | 59.95 | 2200 | Classic
      Tinkerwood | Magnetic Building Tiles, 100 Pieces | creative magnetic safe | 46.99 | 1750 | Clear, Pastel
      Meeple Street | Harbour Lights, Strategy Board Game, 2-4 Players | strategy family cooperative | 44.00 | 1300 | English
      Meeple Street | Pocket Orchard, Card Game for Families | small travel family | 14.99 | 210 | English
      Puzzlewright | 1000-Piece Jigsaw Puzzle, Botanical Atlas | relaxing gift recycled | 19.95 | 680 | Botanical, Night Sky`
  },
  {
    category: "Pet Supplies",
    keywords: "dog cat pets animal",
    rows: `
      Barkley & Bean | Orthopedic Dog Bed, Washable Cover | washable supportive soft | 64.99 | 3200 | Medium, Large+20.00
      Barkley & Bean | No-Pull Dog Harness, Reflective | reflective adjustable durable | 27.50 | 260 | Small, Medium, Large+3.00
      Whiskerly | Cat Water Fountain, Stainless Steel, 2.5 L | quiet steel dishwasher-safe | 35.99 | 1100 | Steel
      Whiskerly | Sisal Cat Scratching Post, 32 in | durable stable | 42.00 | 4600 | Beige | out`
  },
  {
    category: "Garden & Tools",
    keywords: "diy yard backyard repair hardware",
    rows: `
      Greenhaven | Bypass Pruning Shears, Forged Steel | sharp durable forged | 28.95 | 240 | 8 in
      Greenhaven | Raised Garden Bed, Galvanized Steel, 6 x 3 ft | durable easy install | 119.00 | 14500 | Sage | oversize
      Greenhaven | Expandable Garden Hose, 50 ft | light kink-free | 33.00 | 1500 | Green
      Torqline | 12V Cordless Drill Driver Kit, 2 Batteries | cordless compact powerful | 79.00 | 1900 | Kit | hazmat
      Torqline | 40-Piece Ratcheting Screwdriver Set | magnetic compact durable | 29.99 | 860 | Case
      Torqline | Digital Caliper, 6 in, Stainless | precise steel | 23.50 | 190 | Steel`
  },
  {
    category: "Personal Care",
    keywords: "beauty skin hair bath health",
    rows: `
      Söl & Sea | Mineral Sunscreen SPF 50, Fragrance-Free, 3.4 oz | fragrance-free vegan reef-safe | 18.00 | 130 | Untinted, Tinted+2.00
      Söl & Sea | Crème Hand Balm with Shea, 2.5 oz | vegan rich gift | 12.00 | 95 | Unscented, Fig
      Bristol & Reed | Safety Razor, Brass, with 10 Blades | plastic-free durable gift | 42.00 | 180 | Chrome, Matte Black
      Bristol & Reed | Electric Toothbrush, 4 Heads, Travel Case | rechargeable quiet travel | 49.99 | 320 | White, Black
      Bristol & Reed | Limited Edition Beard Care Set | gift vegan | - | 410 | Cedar`
  }
]

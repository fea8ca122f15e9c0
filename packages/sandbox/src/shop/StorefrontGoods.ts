import type { GoodsTable } from "./Goods.ts"

/*
 * Goods of marketplace_b: one table per store. Columns as on marketplace_a; the options are the
 * variants of one product rather than products of their own.
 */
export const storefrontGoods: ReadonlyArray<GoodsTable & { readonly store: string }> = [
  {
    store: "ridgeline-outfitters",
    category: "Outdoor Clothing",
    keywords: "hiking apparel jacket outdoor clothing wear",
    rows: `
      Ridgeline | Summit Shell Rain Jacket | waterproof breathable packable recycled | 189.00 | 410 | S, M, L, XL*
      Ridgeline | Granite Down Jacket, 700 Fill | warm packable light | 229.00 | 480 | S, M, L
      Ridgeline | Trail Fleece Half-Zip | warm soft recycled | 84.00 | 390 | S, M, L
      Ridgeline | Switchback Hiking Pants | stretch water-resistant durable | 98.00 | 420 | 30, 32, 34
      Ridgeline | Merino Base Layer Top, 200 g | merino warm odor-resistant | 76.00 | 210 | S, M, L
      Ridgeline | Merino Hiking Socks, 2 Pairs | merino cushioned warm | 32.00 | 140 | M, L
      Ridgeline | Sun Hoodie UPF 50 | light breathable sun | 62.00 | 190 | S, M, L
      Ridgeline | Windproof Running Gloves | light touchscreen warm running | 34.00 | 60 | M, L
      Ridgeline | Wool Beanie, Fisherman Rib | wool warm handmade | 28.00 | 80 | Rust, Navy
      Ridgeline | Canvas Field Cap | durable organic | 30.00 | 95 | Olive, Tan`
  },
  {
    store: "slowpour-roasters",
    category: "Coffee Beans",
    keywords: "coffee beans roast espresso drink",
    rows: `
      Slowpour | Ethiopia Guji Natural, Whole Bean Coffee | fruity light-roast single-origin organic | 19.50 | 360 | 12 oz, 2 lb+28.00
      Slowpour | Colombia Huila Washed, Whole Bean Coffee | balanced medium-roast single-origin | 18.00 | 360 | 12 oz, 2 lb+26.00
      Slowpour | Night Shift Espresso Blend Coffee | dark-roast chocolate espresso | 17.00 | 360 | Whole Bean, Ground
      Slowpour | Sumatra Mandheling Dark Roast Coffee | dark-roast earthy | 17.50 | 360 | Whole Bean, Ground*
      Slowpour | Swiss Water Decaf Coffee, Peru | decaf medium-roast organic | 18.50 | 360 | Whole Bean, Ground
      Slowpour | Cold Brew Coffee Pouches, 8-Pack | easy cold | 24.00 | 520 | 8-Pack
      Slowpour | Instant Single-Origin Coffee, 10 Sachets | travel camping instant | 22.00 | 90 | Kenya, Honduras
      Slowpour | Stoneware Coffee Mug, 10 oz | handmade dishwasher-safe gift | 26.00 | 420 | Oat, Slate
      Slowpour | Coffee Tasting Set, Four Origins | gift sampler single-origin | 38.00 | 540 | Whole Bean
      Slowpour | Roaster's Choice Reserve Lot Coffee | limited single-origin | - | 250 | 8 oz`
  },
  {
    store: "fjord-and-pine",
    category: "Candles & Home",
    keywords: "home decor candle gift scandinavian living",
    rows: `
      Fjord & Pine | Soy Wax Candle, Spruce and Smoke | soy vegan natural handmade gift | 29.00 | 480 | 8 oz, 14 oz+13.00
      Fjord & Pine | Soy Wax Candle, Rhubarb and Rose | soy vegan handmade gift | 29.00 | 480 | 8 oz, 14 oz+13.00
      Fjord & Pine | Beeswax Taper Candles, Set of 6 | natural beeswax | 24.00 | 390 | Natural, Ink
      Fjord & Pine | Wool Throw Blanket, Herringbone | wool warm soft | 128.00 | 1300 | Gray, Ochre
      Fjord & Pine | Linen Tea Towels, Set of 3 | linen natural absorbent | 34.00 | 300 | Natural, Blue Stripe
      Fjord & Pine | Hand-Turned Birch Bowl | wood handmade gift | 58.00 | 640 | Small, Large+30.00
      Fjord & Pine | Smörgås Serving Board, Oak | wood handmade durable | 66.00 | 1700 | Oak
      Fjord & Pine | Stoneware Vase, Ribbed | handmade stoneware | 48.00 | 1100 | White, Moss*
      Fjord & Pine | Room Diffuser, Juniper, 6 oz | natural fresh | 42.00 | 510 | Juniper | hazmat
      Fjord & Pine | Lounge Chair, Bent Ash and Cord | wood handmade durable | 790.00 | 11800 | Natural | oversize`
  },
  {
    store: "paper-lantern-press",
    category: "Stationery",
    keywords: "paper notebook office writing journal desk",
    rows: `
      Paper Lantern | Dotted Notebook A5, 192 Pages | fountain-pen lay-flat numbered | 22.00 | 330 | Ink, Sand, Moss
      Paper Lantern | Undated Weekly Planner | undated lay-flat productivity | 32.00 | 410 | Clay, Black
      Paper Lantern | Letterpress Thank-You Cards, Set of 8 | letterpress recycled gift | 24.00 | 180 | Fern, Wave
      Paper Lantern | Brass Fountain Pen, Fine Nib | brass durable gift | 68.00 | 60 | Fine, Medium
      Paper Lantern | Fountain Pen Ink, 50 ml | water-resistant shading | 18.00 | 170 | Blue-Black, Persimmon
      Paper Lantern | Desk Pad, Vegetable-Tanned Leather | leather handmade durable | 94.00 | 1200 | Tan, Black
      Paper Lantern | Washi Tape Set, 5 Rolls | creative paper | 14.00 | 120 | Meadow, Night
      Paper Lantern | Wall Calendar, Risograph Print | print gift recycled | 28.00 | 260 | 12 Months | out
      Paper Lantern | Sketchbook, 160 gsm, Spiral | drawing thick recycled | 19.00 | 450 | A5, A4+7.00`
  },
  {
    store: "kite-and-clover",
    category: "Kids & Baby",
    keywords: "baby children kids toddler toy clothing gift",
    rows: `
      Kite & Clover | Organic Cotton Baby Bodysuit, 3-Pack | organic soft washable | 36.00 | 240 | 0-3 Months, 3-6 Months, 6-12 Months
      Kite & Clover | Muslin Swaddle Blankets, 2-Pack | organic breathable soft | 34.00 | 280 | Stars, Leaves
      Kite & Clover | Wooden Stacking Rainbow | wood handmade creative | 39.00 | 620 | Bright, Earth
      Kite & Clover | Knitted Bunny Soft Toy | handmade soft washable | 29.00 | 130 | Oat, Blush
      Kite & Clover | Toddler Rain Suit | waterproof durable washable | 58.00 | 420 | 2T, 3T, 4T*
      Kite & Clover | Beginner's Kite, 50 in | light easy outdoor | 27.00 | 230 | Rainbow, Whale
      Kite & Clover | Silicone Feeding Set, 4 Pieces | dishwasher-safe safe | 32.00 | 460 | Sage, Apricot
      Kite & Clover | Bamboo Hooded Towel | soft absorbent | 30.00 | 380 | Bear, Fox
      Kite & Clover | Balance Bike, 12 in | light adjustable durable | 119.00 | 4100 | Mint, Coral | oversize`
  },
  {
    store: "nordlys-bikes",
    category: "Cycling",
    keywords: "bike bicycle cyclist commute ride sport",
    rows: `
      Nordlys | Commuter Bike Helmet with Rear Light | light reflective adjustable safe | 89.00 | 380 | M, L
      Nordlys | USB-C Bike Light Set, Front and Rear | rechargeable waterproof bright | 54.00 | 140 | Black
      Nordlys | Waterproof Pannier, 20 L | waterproof reflective durable | 79.00 | 980 | Black, Ochre
      Nordlys | Handlebar Bag, Roll-Top | waterproof small | 58.00 | 290 | Olive, Black
      Nordlys | Mini Floor Pump with Gauge | portable precise | 44.00 | 540 | Silver
      Nordlys | Folding Multi-Tool, 18 Functions | compact steel durable | 29.00 | 170 | Steel
      Nordlys | Chain Lube, All Weather, 4 oz | biodegradable | 13.00 | 150 | 4 oz
      Nordlys | Chain Degreaser Aerosol, 12 oz | fast clean | 15.00 | 400 | 12 oz | hazmat
      Nordlys | Folding Lock, 33 in | durable secure | 74.00 | 1250 | Black
      Nordlys | Cargo Trailer, 90 lb | durable foldable | 349.00 | 12500 | Gray | oversize`
  },
  {
    store: "verdant-apothecary",
    category: "Skin Care",
    keywords: "beauty skin face natural care bath",
    rows: `
      Verdant | Daily Facial Cleanser, Oat and Calendula | gentle fragrance-free vegan | 24.00 | 210 | 5 oz, 10 oz+18.00
      Verdant | Vitamin C Serum 15% | vegan bright | 38.00 | 90 | 1 oz
      Verdant | Barrier Repair Moisturizer | fragrance-free rich vegan | 34.00 | 130 | 1.7 oz, 3.4 oz+26.00
      Verdant | Rosehip Facial Oil | organic natural vegan | 29.00 | 85 | 1 oz
      Verdant | Cold-Process Bar Soap, Set of 3 | natural plastic-free handmade gift | 21.00 | 360 | Cedar, Citrus, Unscented
      Verdant | Magnesium Bath Salts | relaxing natural | 26.00 | 640 | Lavender, Eucalyptus
      Verdant | Solid Shampoo Bar | plastic-free vegan travel | 14.00 | 90 | Dry Hair, Fine Hair
      Verdant | Lip Balm Trio | natural gift vegan | 15.00 | 40 | Mint, Honey
      Verdant | Botanical Perfume Oil, Crème de Néroli | vegan natural gift | 56.00 | 70 | 0.3 oz | hazmat`
  },
  {
    store: "harbor-light-audio",
    category: "Audio",
    keywords: "speaker music sound vinyl headphones hifi",
    rows: `
      Harbor Light | Portable Bluetooth Speaker, Walnut | portable wood waterproof battery | 149.00 | 890 | Walnut, Oak
      Harbor Light | Bookshelf Speakers, Passive, Pair | wood warm studio | 389.00 | 9400 | Walnut | oversize
      Harbor Light | Belt-Drive Turntable with Phono Preamp | wood warm quiet | 449.00 | 7200 | Walnut, Black | oversize
      Harbor Light | Planar Magnetic Headphones, Open-Back | studio wired open-back handmade | 329.00 | 410 | Walnut
      Harbor Light | Headphone Stand, Solid Oak | wood handmade gift | 48.00 | 560 | Oak, Walnut
      Harbor Light | Record Cleaning Kit | gentle gift | 36.00 | 310 | Kit
      Harbor Light | USB-C Headphone DAC | portable precise wired | 99.00 | 35 | Silver, Black
      Harbor Light | Braided Headphone Cable, 4 ft | durable braided | 39.00 | 70 | 3.5 mm, Balanced+10.00
      Harbor Light | Wireless Earbuds, Wood Faceplate | in-ear light wireless noise cancelling | 159.00 | 62 | Maple, Ebony*`
  }
]

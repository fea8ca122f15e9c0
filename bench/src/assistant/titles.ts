/** Titles as marketplaces return them, by the letter that the fixtures of honest replies use. */
export const titles: Readonly<Record<string, string>> = {
  A: "Garmin Forerunner 55 GPS Running Watch, Up to 2 Weeks Battery, Black",
  B: "Vitamix E310 Explorian Blender, 48 oz Container, 10 Speeds, Black",
  C: "IKEA LACK Side Table, White, 22 Inch",
  D: "Thule Motion XT L Rooftop Cargo Carrier, 16 Cubic Feet, Black",
  E: "Ghirardelli Dark Chocolate Squares, 72% Cacao, 50 Count",
  F: "Razor A5 Lux Kick Scooter, 8 Inch Wheels, Foldable, for Riders up to 220 lb",
  G: "Wacom Intuos Small Drawing Tablet with Bluetooth, 4 Customizable Keys",
  H: "Dr. Martens 1460 Leather Boot for Women, 8-Eye, Cherry Red",
  I: "Anker PowerCore 10000 Portable Charger, 10000mAh Power Bank, Compact",
  J: "Bose SoundLink Micro Bluetooth Speaker, Waterproof, 6 Hours Battery, Orange",
  K: "Weber Spirit II E-310 Gas Grill, 3 Burners, Black",
  L: "Oxo Good Grips Salad Spinner, Large, Clear",
  M: "Casio CT-S300 Portable Keyboard, 61 Keys, Touch Response",
  N: "Ravensburger Labyrinth Board Game, 2 to 4 Players, Ages 7 and Up"
}

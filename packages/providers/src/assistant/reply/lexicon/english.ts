import type { LexiconWords } from "./Lexicon.ts"

/** English words by what they do in a sentence. */
export const english: LexiconWords = {
  det: `a an the each any both another some`,
  this: `this that these those`,
  own: `its their`,
  poss: `your his her`,
  mine: `my my_first`,
  it: `it they this these both this_one that_one each_of_them both_of_them each_one either_one them either`,
  other: `she he her him`,
  you: `you`,
  i: `i`,
  dat: ``,
  be: `is are be s re being`,
  modal: `can could may might would should d`,
  will: `will ll`,
  has: `has have offers offer features feature includes include provides provide gives give uses contains
    contain boasts boast delivers_clear deliver_clear brings_joy gives_off give_off`,
  comes: `comes_with come_with comes_in_a come_in_a`,
  verb: `works work folds fold blocks block protects protect supports support cushions cushion absorbs absorb
    lights light illuminates illuminate brightens brighten complements complement blends blend packs pack heats
    heat cools cool warms warm cleans clean cuts cut grinds grind brews brew makes make washes wash dries dry
    measures measure weighs weigh mixes mix pours pour boils steams steam toasts toast slices slice chops chop
    bakes bake spins spin tilts tilt attaches attach mounts mount stacks stack stretches stretch tightens wraps
    hugs hug soothes soothe calms calm relaxes moisturizes moisturize hydrates hydrate nourishes smooths smooth
    soften softens repels repel resists resist filters filter removes remove organizes organize holds hold
    records displays display prints plays play doubles_as double_as goes_with go_with goes_well_with
    go_well_with pairs_with pair_with combines combine connects connect adapts adapt adjusts adjust adapts_to
    helps_with help_with serves_as serve_as takes_up blends_into blend_into fits_into fit_into
    returns_to_its_base reflects reflect glows glow minimizes minimize masks mask isolates isolate improves
    improve enhances enhance encourages encourage teach conducts distributes distribute traps wicks wick drains
    drain breathes bends bend flexes flex grips grip lies_flat lie_flat folds_flat fold_flat
    sits_comfortably_in_the_hand fits_comfortably doesn_t_itch don_t_itch doesn_t_slip don_t_slip doesn_t_bleed
    doesn_t_scratch don_t_leak doesn_t_leak moves_quietly saves_space save_space takes_up_little_space
    wash_out_of wipes_clean last_long lasts_long sits_comfortably_on_the_head sits_comfortably_on_your_head
    sits_well_in_the_hand feels_good_in_the_hand runs_quietly run_quietly runs_silently runs_smoothly sets_up
    set_up takes_up_very_little_room take_up_very_little_room takes_up_little_room takes_up_very_little_space
    stays_put stay_put blocks_out block_out packs_down pack_down folds_down folds_up fold_up hangs hang tucks
    tuck slots charges_fast heats_up heat_up cools_down brightens_up protects_from protect_from fills_the_room
    fill_the_room picks_up_hair picks_up_dust opens_wide slips_into_any_bag attaches_to attach_to clips_to
    clip_to connects_to connect_to stays_in_place stay_in_place closes_tightly locks_firmly lasts_for_hours
    lasts_all_day last_all_day folds_into fold_into stores_easily store_easily packs_into pack_into fits_under
    fit_under spreads_evenly works_without work_without protects_against protect_against lies_flat_when_open
    lie_flat_when_open does_the_work_for_you do_the_work_for_you does_the_work do_the_work keeps_tea_hot
    keep_tea_hot keeps_coffee_hot keep_coffee_hot keeps_drinks_hot keep_drinks_hot keeps_food_hot keep_food_hot`,
  suits: `suits suit fits fit matches match works_for`,
  adds: `adds add lends lend`,
  make: `makes make keeps keep renders`,
  making: `making keeping`,
  help: `helps help lets let allows_you_to allow_you_to allows allow makes_it_easy_to make_it_easy_to enables`,
  look: `looks look feels feel sounds sound tastes taste stays stay smells smell writes write works work folds
    fold heats heat gets_nicer fits fit seems seem`,
  use: `use wear carry clean hang relax sleep travel run walk read listen_to write play cook bake brew grind
    work study train exercise hike camp ride cycle swim draw paint knit sew learn practice fold pack assemble
    install set_up adjust handle operate wash fill empty pour attach detach mount build stack explore
    create focus concentrate unwind rest breathe stretch type game record hear wear_it maintain care_for grip
    understand combine wipe rinse sit stand lie commute garden photograph drive sharpen serve mix toast
    fall_asleep stay_warm stay_dry stay_cool using wearing carrying cleaning hanging relaxing sleeping traveling
    travelling running walking reading listening writing playing cooking baking brewing grinding working
    studying training exercising hiking camping riding cycling swimming drawing painting knitting sewing
    learning practicing folding packing adjusting handling washing pouring attaching mounting building stacking
    exploring creating focusing unwinding resting stretching typing gaming recording hearing commuting gardening
    backpacking fishing climbing skiing driving sketching crafting roasting grilling frying making_coffee
    making_tea work_out working_out planning meditating dancing singing jogging sharpening serving mixing
    kneading chopping slicing sit_down stand_up having_breakfast wears uses travels runs cooks bakes reads hikes
    plays writes sleeps works spend_time spend_an_evening spend_the_evening go_hiking go_running go_camping
    work_from_home stand_for_a_long_time tidy_up keep_warm keep_cool keep_dry stay_organized stay_hydrated
    be_seen climb fish direct hold_your_phone play_golf plays_golf drink_coffee drink_tea drink_water
    drinking_coffee drinking_tea start_playing charge_your_phone charge_a_phone charge_a_laptop watch_movies
    watch_birds watching_movies watching_birds store storing`,
  hold: `hold`,
  doing: `using wearing carrying cleaning hanging relaxing sleeping traveling travelling running walking reading
    listening writing playing cooking baking brewing grinding working studying training exercising hiking
    camping riding cycling swimming drawing painting knitting sewing learning practicing folding packing
    adjusting handling washing pouring attaching mounting building stacking exploring creating focusing
    unwinding resting stretching typing gaming recording hearing commuting gardening backpacking fishing
    climbing skiing driving sketching crafting roasting grilling frying making_coffee making_tea working_out
    meditating dancing singing jogging sharpening serving mixing kneading chopping slicing having_breakfast
    drinking_coffee drinking_tea watching_movies watching_birds`,
  wish: `want need like love prefer looking_for wants needs likes loves enjoys prefers enjoy enjoying`,
  like: `enjoy like love appreciate`,
  rec: `recommend suggest choose pick go_with consider would_go_with take_a_look_at propose
    i_picked`,
  adj: `all_round pleasant young soft light lightweight heavy small compact large big slim thin thick long short
    wide tall tiny roomy spacious portable foldable foldaway handy practical useful versatile sturdy durable
    robust tough reliable elegant stylish sleek modern classic simple easy smooth quiet silent clear crisp deep
    warm cool cooling cozy cosy bright dark gentle strong powerful flexible adjustable ergonomic breathable
    waterproof resistant washable rechargeable wireless wired cordless noise_cancelling insulated natural
    organic vegan wooden wood colorful colourful black white blue red green gray grey brown pink yellow purple
    orange beige good great nice lovely wonderful excellent perfect ideal solid fine fantastic comfortable comfy
    thoughtful charming cheerful beautiful delightful dependable convenient minimalist timeless attractive
    intuitive effortless classy everyday daily outdoor indoor suitable suited tailored handmade knitted woven
    padded lined coated leakproof spillproof sweatproof windproof shockproof dustproof nonstick odorless
    unscented fragrant dishwasher_safe stable steady rigid firm plush fluffy silky velvety supple stretchy
    elastic ultralight narrow round square oval rectangular curved pointed coarse crunchy creamy mellow mild
    bold fruity nutty sweet salty spicy refreshing plain subtle discreet understated decorative ornate vintage
    retro rustic scandinavian nordic industrial contemporary traditional artistic creative playful funny vivid
    lively adventurous romantic peaceful serene friendly welcoming familiar personal distinctive memorable
    meaningful heartfelt sensible smart clever capable effective efficient consistent accurate precise
    eco_friendly recycled recyclable sustainable biodegradable compostable mindful noticeable sharp dry cold wet
    muddy rocky rough damp flat calm relaxing soothing relaxed grippy magnetic bluetooth digital electric manual
    automatic acoustic mechanical hand_held handheld detachable removable interchangeable extendable packable
    collapsible inflatable stackable hypoallergenic delicate sensitive tactile responsive clean tidy neat
    neutral fun tender airy snug loose straightforward uncomplicated well_made well_built well_spaced
    well_suited beginner_friendly kid_friendly family_friendly water_resistant sweat_resistant scratch_resistant
    non_slip hands_free low_profile built_in separate visible reflective absorbent fast_drying quick_drying
    long_lasting lasting immersive detailed energetic wintry sunny rainy noisy crowded busy cramped sore tired
    curious active loud inviting graceful cute adorable whimsical tasteful polished refined brushed glossy matte
    transparent quick_to_set_up slip_resistant sophisticated seamless tight hard front rear upper inner outer
    different multi_purpose all_purpose similar calming pretty gorgeous silky_smooth rich_tasting proper kind
    smaller lighter softer warmer quieter brighter thicker thinner longer shorter firmer larger bigger simpler
    sturdier well_protected upright sharper deeper`,
  enough: `enough`,
  adv: `very really quite also too so especially particularly perfectly well nicely beautifully easily smoothly
    quietly silently comfortably evenly precisely gently softly firmly neatly tidily conveniently effortlessly
    naturally reliably consistently accurately properly pleasantly snugly warmly enough equally extremely truly
    wonderfully remarkably fairly rather simply otherwise however instead additionally moreover therefore thus
    together closely more_compact elegantly brightly clearly deeply simultaneously not_too without_being
    without_getting flat a_little a_bit slightly ideally on_top_of_that generally overall surprisingly
    noticeably exceptionally without_being_heavy on_the_other_hand in_particular above_all in_addition
    for_example`,
  link: `also so instead additionally moreover therefore thus however otherwise overall generally simply
    especially particularly for_example on_the_other_hand in_particular above_all in_addition on_top_of_that
    surprisingly ideally together`,
  circ: `outdoors indoors everywhere_you_go on_its_own for_hours for_many_hours all_day all_day_long at_home
    at_work at_night outside inside on_the_go for_a_long_time all_year_round when_it_rains in_the_rain
    in_the_dark even_in_bad_weather even_in_rain on_long_trips on_long_flights in_a_home in_any_home in_the_home
    around_the_house around_the_neck around_the_wrist from_the_sofa between_trees over_the_ears over_the_ear
    without_wires without_a_cloud without_an_app from_a_branch without_bouncing in_mind in_the_hand in_your_hand
    in_one_hand on_the_wrist from_a_tree from_a_balcony`,
  noun: `travel trip trips flight flights commute office desk desks study school kitchen bedroom bathroom garden
    camping hiking trail trails sport sports gym workout workouts yoga beach rain weather winter summer sleep
    coffee tea reading gift_giving lifestyle exercise exercises endurance ritual routine habit sense activity
    activities adventure adventures wellness movement motion journey journeys meetings calls video_calls
    podcasts lessons practice hobby hobbies project projects task tasks chores drink drinks bread cake
    vegetables fruit meat fish soup salad pasta rice eggs herbs spices food cabin city forest mountain mountains
    lake sea snow wind sunlight terrain air sky corner window wall walls floor floors room rooms hallway
    living_room dining_room nursery classroom studio workshop garage balcony terrace patio yard lawn worktop
    cupboard drawer sofa couch table chair bed mattress sink shower household apartment flat trees tree backpack
    bag bags suitcase luggage car bike boat tent body hands foot feet knee knees neck shoulder shoulders arm
    arms leg legs back skin hair face eye eyes ear ears nose mouth teeth finger fingers fingertips waist hips
    joints muscles sweat head wrist wrists baby_skin spine books book pens pencils keys phone laptop tablet
    screen camera lens cup cups glasses jars clothes laundry dishes toys games music songs audiobooks movies
    videos concerts letters words ideas thoughts water ice dust dirt mud pet_hair noises wood metal steel
    stainless_steel leather cotton wool linen glass plastic bamboo oak walnut maple cork ceramic porcelain
    marble stone canvas denim silk satin velvet fleece merino nylon polyester latex felt rubber silicone
    titanium aluminium aluminum iron cast_iron brass soy_wax beeswax wax nature birds scents request wishes wish
    needs preferences taste_buds use daily_use everyday_use everyday_life day_trips purpose purposes things
    items essentials accessories summer_days winter_days cold_days warm_days rainy_days hot_days cold_weather
    warm_weather longer_trips surfaces surface stains scratches proper_care care tabletop training running
    walking cycling cooking baking sewing drawing outdoor_use indoor_use induction oven dishwasher microwave
    freezer fridge hob stove gaming typing work play autumn spring every_season year_round_use child_s_room
    medium size sizes rest decor decoration interior interiors celebration party parties picnic picnics barbecue
    festival festivals concentration_time soil plants plant flowers seeds herbs_garden harvest orchard pool
    lake_side what_you_are_looking_for what_you_re_looking_for what_you_need_to_start_playing your_request walk
    walks daily_walks weekend_trips extra_lens life_outdoors jobs_around_the_house most_jobs most_rooms
    most_backpacks grip scenery picnic_basket bounce bouncing mouthfeel surroundings tension stress comfort_food
    fibers fibres sips engine_noise carpet carpets rugs furniture voice lenses glasses_lens eye_level pressure
    fresh_coffee fresh_air fresh_vegetables fresh_bread heavy_rain light_rain strategy colors_and_shapes
    creativity imagination pets small_spaces tight_spaces small_apartments long_walks road_trips work_trips
    business_trips getaways commutes workloads temperature temperatures instruments chords melodies sketches
    recipes ingredients pastries pizza steaks sauces leaves ears_and_neck hard_floors hardwood_floors tile
    most_jobs_around_the_house birthday_parties family_evenings cold_nights warm_nights summer_evenings
    winter_evenings home_office home_use home_cooking kitchen_counter tree_branch fresh_meals pens_and_notes
    hot_tea hot_coffee hot_drinks hot_water`,
  spot: `skin hair face ear ears eye eyes neck shoulder shoulders arm arms wrist wrists hands finger fingers
    fingertips foot feet knee knees leg legs hips waist joints spine head body back nose teeth desk desks table
    tabletop counter worktop wall walls floor floors sofa couch bed chair mattress balcony terrace patio lawn
    carpet carpets rugs tile hard_floors hardwood_floors surface surfaces furniture terrain trail trails beach
    mountain mountains snow ice water trip trips flight flights journey journeys long_walks walks hikes
    day_trips longer_trips road_trips work_trips business_trips weekend_trips induction hob stove weekends
    holidays summer_days winter_days cold_days warm_days rainy_days hot_days long_days bike car boat phone
    laptop tablet screen clothes metal wood glass leather paper cold_nights warm_nights summer_evenings
    winter_evenings rough_ground wet_ground soft_ground uneven_ground`,
  trait: `room good_support comfort warmth style elegance durability convenience simplicity flexibility mobility
    portability versatility softness silence peace tranquility traction airflow ventilation insulation hydration
    privacy quiet color colors colour colours light space plenty_of_space plenty_of_room lots_of_space
    lots_of_room control freedom balance character charm personality atmosphere mood ambience vibe experience
    pleasure joy energy stability rich_flavor rich_flavour rich_sound rich_taste noise_cancellation taste flavor
    flavors flavour flavours scent aroma view detail details touch look looks feel what_you_need what_you_want
    storage_space posture concentration relaxation heat strength moisture sounds noise memories fresh_coffee`,
  part: `battery bass audio music sound microphone speaker speakers fabric material materials surface design
    quality style size shape color colour colours colors finish cushion cushions ear_cushions ear_cups
    cushioning padding lighting beam brightness charging_case cable button buttons key keys case bag strap
    straps handle handles lid sole soles grip grips compartment compartments sleeve lining zipper zippers
    closure hood cuffs seam seams mesh memory_foam foam blade edge knob knobs lever wheel wheels frame base
    shell hinge clip clips magnet buckle ribbon pattern print tone texture layer layers picture image zoom
    tuning volume treble vocals setup settings mode modes function functions pairing timer sensor display screen
    layout switch switches profile numpad angle height width length depth weight capacity stand build
    construction body brush brushes paints ink nib crema scent fragrance flavor flavour aroma taste rules
    storage_space noise_cancelling noise_cancellation active_noise_cancelling wool cotton leather wood glass
    silk steel bamboo rubber linen merino kit set controls touch_controls look brim band bands belt collar laces
    insole heel toe_box upper midsole tread waistband fit leaves bristles nozzle spout filter tank bowl
    tray hook hooks drawer drawers lamp_head neck arm arms legs feet back seat backrest armrests
    headband earbuds ear_tips cord plug adapter port ports charger light lights bulb glow warm_light filling
    stuffing weave knit stitching pages paper spine wood_grain rim walls bottom sides side outer_shell
    inner_lining water_bottle_pocket steel_body glass_body carrying_case storage_bag travel_case pieces
    illustrations artwork instructions_sheet strings neck_pickup tone_wood reverb rod joints motor suction
    brushroll signal connection bluetooth_connection range_hood performance battery_life strips dividers panels
    lenses reservoir burrs burr ear_pads headrest cushioned_handle straps_and_buckles soundstage noise_isolation
    drivers hinges pegs poles stakes vents visor lid_and_base rubber_feet casters washable_cover removable_cover`,
  kind: `headphones earbuds earphones speaker keyboard mouse charger lamp tent backpack suitcase bottle mug
    kettle grinder scale pan knife blanket pillow shoes jacket camera stand notebook pen toy toys puzzle blocks
    bike helmet harness bed towel chair table candle sunscreen shampoo maker drill headlamp mat mats socks shirt
    shirts sweater coat gloves scarf hat beanie dress jeans trousers shorts boots sneakers sandals slippers belt
    necklace earrings bracelet sunglasses umbrella duffel tote sling organizer box jar bowl plate cup teapot pot
    skillet toaster blender mixer juicer dripper server spatula spoon fork tray mirror clock vase rug
    curtain curtains sheets duvet mattress sofa stool monitor webcam tablet printer projector tripod lens hub
    vacuum purifier humidifier fan heater hammer screwdriver wrench rope hammock cookset ball racket dumbbell
    kettlebell guitar piano drum game games doll crayons paints planner calendar journal soap cream lotion serum
    balm perfume razor toothbrush comb dryer leash collar crate feeder litter aquarium plant hose shovel rake
    robot instrument tool tools kit throw flask thermos light lights watch_band board_game binoculars telescope
    glove cutting_board costume bodysuit onesie bib stroller carrier sleeping_bag sleep_mask board model models
    pens lunch_box doorbell something one ones thermometer diffuser basin apron watercolors lunchbox pouch
    hoodie vest raincoat pants leggings swimsuit goggles tumbler carafe teacup chopper peeler colander tin wok
    pan_set trowel flower_pot bench hammer_drill saw sander flashlight torch compass cooler thermos_flask
    pacifier rattle plush teddy_bear doll_house yoga_mat jump_rope treadmill fountain_pen`,
  choice: `choice choices option options pick picks suggestion suggestions match matches fit fits alternative
    alternatives companion companions all_rounder recommendation idea ideas way addition solution complement
    combination combo candidate starting_point`,
  gift: `gift gifts present presents birthday_gift birthday_gifts birthday_present`,
  person: `someone somebody kid kids child children baby babies toddler toddlers infant teen teens teenager
    teenagers adult adults mother father mom mum dad parents parent daughter daughters son sons wife husband
    partner friend friends family families boyfriend girlfriend grandmother grandfather grandma grandpa sister
    brother uncle aunt niece nephew colleague boss teacher neighbor neighbour roommate guest guests couple couples
    beginner beginners student students cook cooks chef chefs baker bakers reader readers writer writers artist
    artists musician musicians gamer gamers runner runners hiker hikers camper campers cyclist cyclists traveler
    travelers traveller travellers commuter commuters gardener gardeners photographer photographers coffee_lover
    coffee_lovers tea_lover tea_lovers book_lover music_lover nature_lover lover lovers dog dogs cat cats puppy
    kitten pet pets newborn newborns boy boys girl girls man men woman women person people player players
    programmer programmers sleeper sleepers minimalist enthusiast enthusiasts everyone_in_the_family small_hands
    little_ones recipient yourself two_people four_people anyone`,
  genitive: `s`,
  for: `for`,
  with: `with featuring offering including`,
  beside: `together_with along_with as_well_as`,
  prep: `at with during throughout under against thanks_to for_use_in as inside beside on_top_of into_its in`,
  on: `on`,
  upto: `up_to for_up_to of_up_to`,
  of: `of`,
  to: `to`,
  and: `and or but yet as_well_as`,
  conj: `and but so because while which that as yet although though whereas it_also so_that and_so`,
  if: `if`,
  when: `when whenever while for_when whether`,
  who: `who that`,
  made: `made_of made_from made_with made_for made_to designed_for designed_to designed_with built_for built_to
    built_with built_from suited_to suited_for intended_for meant_for tailored_to crafted_from crafted_with
    adapted_to lined_with padded_with filled_with equipped_with full_of resistant_to`,
  gentle: `gentle_to kind_to`,
  here: `here_are here_is here_s`,
  thatIs: `these_are this_is`,
  whole: `enjoy i_hope_this_helps i_hope_that_helps hope_this_helps hello hi here_are_my_picks
    here_are_some_options here_are_some_ideas here_are_my_suggestions here_are_my_recommendations
    enjoy_your_music enjoy_the_music enjoy_your_music_with_them have_fun enjoy_your_trip sweet_dreams
    happy_reading happy_cooking happy_baking happy_hiking let_me_know_if_you_want_more_ideas
    let_me_know_if_you_d_like_more_options let_me_know_if_you_would_like_more_options`,
  number: `two three four five`,
  refusal: `i_can_t_help_with_that_request i_can_t_help_with_that i_can_t_help_with_this
    i_can_t_help_with_this_request i_cannot_help_with_that i_can_t_assist_with_that
    i_can_t_assist_with_this_request i_m_not_able_to_help_with_that i_m_unable_to_help_with_that i_can_t_recommend
    i_can_t_recommend_anything i_can_t_recommend_products i_m_sorry i_am_sorry sorry unfortunately tell_me_more
    tell_me_more_about_what_you_want tell_me_more_about_what_you_need tell_me_what_you_want please_tell_me_more
    please_try_other_words try_other_words`,
  empty: `i_couldn_t_find i_could_not_find i_found_no i_found_nothing nothing_matches nothing_fits
    tell_me_more_about that_matches_your_request that_fits_your_request anything your_request a_product products`
}

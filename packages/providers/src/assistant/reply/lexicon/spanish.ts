import type { LexiconWords } from "./Lexicon.ts"

/** Spanish words by what they do in a sentence. */
export const spanish: LexiconWords = {
  det: `el la los las un una unos unas lo del al cada ambos ambas cualquier todo toda todos todas mucho mucha
    muchos muchas`,
  this: `este esta estos estas ese esa`,
  own: `su sus`,
  poss: `tu tus`,
  mine: `mi mis`,
  it: `este esta estos estas ambos ambas ellos ellas`,
  other: ``,
  you: `te le les usted`,
  i: `yo`,
  dat: `te le les`,
  be: `es son ser sería serían`,
  modal: `puede pueden puedes podría podrían`,
  will: ``,
  has: `tiene tienen ofrece ofrecen incluye incluyen cuenta_con cuentan_con proporciona proporcionan da dan`,
  comes: ``,
  verb: `permite permiten mantiene mantienen encaja encajan protege protegen ayuda ayudan combina
    combinan ocupa ocupan corta cortan ilumina iluminan calienta calientan absorbe absorben cuida cuidan bloquea
    bloquean se_pliega se_pliegan funciona funcionan queda_bien_en quedan_bien_en queda_muy_bien_en
    quedan_muy_bien_en cabe_en caben_en reduce_el_ruido reducen_el_ruido`,
  suits: `encaja_con sirve_para sirven_para se_adapta_a se_adaptan_a acompaña acompañan`,
  adds: `aporta aportan añade añaden`,
  make: `hace hacen mantiene mantienen`,
  making: ``,
  help: `permite permiten ayuda_a ayudan_a te_ayuda_a le_ayuda_a te_permite le_permite`,
  look: `resulta resultan suena suenan se_siente se_sienten parece`,
  use: `escuchar leer jugar usar trabajar dormir correr viajar cocinar escribir limpiar guardar transportar
    utilizar caminar nadar dibujar pintar aprender relajarse relajarte concentrarse concentrarte lavar plegar
    montar ajustar entrenar estudiar viajas duermes corres descansar tocar cortar hornear`,
  hold: ``,
  doing: ``,
  wish: `buscas busca quieres quiere necesitas prefieres disfrutar disfrutar_de`,
  like: `gustar disfrutar encantar gustará encantará apreciar apreciará disfrutará`,
  rec: `recomiendo recomendaría sugiero sugeriría elige elegiría`,
  adj: `bueno buena buenos buenas buen gran grande grandes bonito bonita bonitos bonitas excelente excelentes
    ideal ideales perfecto perfecta perfectos perfectas cómodo cómoda cómodos cómodas ligero ligera ligeros
    ligeras suave suaves pequeño pequeña pequeños pequeñas compacto compacta compactos práctico práctica
    prácticos prácticas útil útiles resistente resistentes robusto robusta robustos duradero duradera duraderos
    versátil versátiles plegable plegables portátil portátiles impermeable impermeables cálido cálida cálidos
    fresco elegante elegantes moderno moderna modernos clásico clásica sencillo sencilla silencioso silenciosa
    silenciosos claro clara nítido nítida potente potentes ergonómico ergonómica fácil fáciles natural naturales
    agradable agradables largo larga largos largas negro negra blanco blanca azul rojo roja verde gris frío fría
    seco seca secos limpio limpia delicado delicada encantador encantadora acogedor acogedora transpirable
    transpirables ajustable ajustables lavable lavables recargable antideslizante relajante tranquilo tranquila
    inalámbrico inalámbricos inalámbrica resistentes_al sólido sólida estable estables flexible flexibles
    divertido divertida creativo luminoso fino fina amplio amplia espacioso espaciosa fiable fiables blando
    firme preciso precisa adecuado adecuada adecuados caliente calientes diario diaria fácil_de_llevar
    fáciles_de_llevar cómodo_de_llevar cómoda_de_llevar`,
  enough: ``,
  adv: `muy bien realmente bastante también especialmente fácilmente perfectamente además así particularmente
    cómodamente a_la_vez tan`,
  link: `además también así especialmente particularmente`,
  circ: `en_casa por_la_noche durante_horas`,
  noun: `música trabajo oficina cocina dormitorio jardín viaje viajes deporte correr senderismo camping lluvia
    invierno verano sueño café té cocinar pan verduras agua sol nieve tela cuero madera lana algodón metal acero
    vidrio goma bambú seda lino pies manos mano cabeza cuello espalda piel pelo ojos oídos oído cuerpo sofá cama
    mesa mesita silla pared suelo salón baño terraza balcón ciudad montaña playa mar bosque sudor bebidas vuelos
    vuelo escuela colegio gimnasio libros ruido necesidades gusto senderos regalar lectura bolsa mochila
    noches_frías`,
  spot: ``,
  trait: `comodidad estilo elegancia espacio calor luz ambiente relax concentración calidad sabor aroma
    poco_espacio`,
  part: `sonido bajos batería material diseño forma color tamaño hoja mango tela suela correas correa tapa teclas
    luz reglas lana algodón cuero madera calidad textura cremallera aroma sabor pantalla micrófono almohadillas
    acabado patrón capacidad cuerpo forro asa asas`,
  kind: `auriculares cascos teclado ratón lámpara mochila maleta botella taza molinillo báscula sartén cuchillo
    manta almohada zapatos zapatillas chaqueta altavoz cargador juguete juguetes juego puzle reloj gafas gorro
    calcetines tetera bolso cuaderno pluma vela espejo tienda_de_campaña`,
  choice: `elección opción opciones sugerencia sugerencias idea ideas alternativa recomendación compañero
    complemento solución`,
  gift: `regalo regalos`,
  person: `niño niña niños niñas hijo hija madre padre mujer marido amigo amiga familia principiantes perro gato
    alguien padres abuela abuelo hermano hermana bebé corredor corredores viajero viajera viajeros senderistas
    estudiantes amantes`,
  genitive: ``,
  for: `para`,
  with: `con`,
  beside: `junto_con`,
  prep: `a al en con de del por sin sobre entre durante bajo contra gracias_a como`,
  on: ``,
  upto: ``,
  of: `de del`,
  to: `a de para`,
  and: `y e o u pero`,
  conj: `y pero porque pues que lo_que ya_que así_que`,
  if: `si`,
  when: `cuando`,
  who: `que`,
  made: `hecho_de hecha_de hechos_de diseñado_para diseñada_para pensado_para pensada_para adecuado_para apto_para
    resistente_al resistentes_al resistente_a resistentes_a`,
  gentle: ``,
  here: `aquí_tienes aquí_están`,
  thatIs: `estos_son este_es esta_es`,
  whole: `hola que_lo_disfrutes buen_viaje`,
  number: `dos tres cuatro cinco`,
  refusal: `lo_siento no_puedo_ayudarte_con_eso no_puedo_ayudar_con_eso`,
  empty: `no_encontré_nada no_he_encontrado_nada`
}

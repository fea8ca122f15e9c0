import type { LexiconWords } from "./Lexicon.ts"

/** Portuguese words by what they do in a sentence. */
export const portuguese: LexiconWords = {
  det: `o a os as um uma uns umas cada ambos ambas todo toda todos todas do da dos das no na nos nas ao à
    qualquer muito muita`,
  this: `este esta estes estas esse essa`,
  own: `seu sua seus suas`,
  poss: `teu tua teus tuas`,
  mine: `meu minha`,
  it: `ele ela eles elas este esta estes estas ambos ambas isso isto`,
  other: ``,
  you: `te ti você vocês lhe`,
  i: `eu`,
  dat: `te lhe`,
  be: `é são ser seria seriam`,
  modal: `pode podem poderia poderiam`,
  will: ``,
  has: `tem têm oferece oferecem inclui incluem possui possuem conta_com contam_com proporciona proporcionam dá
    dão`,
  comes: ``,
  verb: `permite permitem mantém mantêm protege protegem ajuda ajudam funciona funcionam corta ilumina aquece
    absorve isola bloqueia completa ocupa encaixa encaixam suporta cabe_em cabem_em cabe_na cabe_no
    reduz_o_ruído`,
  suits: `serve_para servem_para combina_com combinam_com se_adapta_a adapta_se_a`,
  adds: `adiciona adicionam`,
  make: `torna tornam mantém mantêm deixa deixam`,
  making: ``,
  help: `ajuda_a ajudam_a permite permitem`,
  look: `parece soa`,
  use: `ouvir ler jogar usar trabalhar dormir correr viajar cozinhar escrever limpar guardar transportar
    utilizar caminhar nadar desenhar pintar aprender relaxar concentrar lavar dobrar montar ajustar treinar
    estudar viaja corre descansar tocar cortar acampar brincar`,
  hold: ``,
  doing: ``,
  wish: `procura quer deseja prefere aproveitar ama gosta_de`,
  like: `gostar apreciar adorar amar`,
  rec: `recomendo recomendaria sugiro sugeriria escolha escolheria`,
  adj: `bom boa bons boas ótimo ótima ótimos ótimas bonito bonita bonitos bonitas excelente excelentes grande
    grandes ideal ideais perfeito perfeita perfeitos perfeitas confortável confortáveis leve leves macio macia
    macios pequeno pequena pequenos compacto compacta compactos prático prática práticos práticas útil úteis
    resistente resistentes robusto robusta robustos durável duráveis versátil versáteis dobrável dobráveis
    portátil portáteis impermeável impermeáveis quente quentes fresco fresca elegante elegantes moderno moderna
    clássico clássica simples silencioso silenciosa silenciosos claro clara nítido nítida potente potentes
    ergonômico ergonómica fácil fáceis natural naturais agradável agradáveis longo longa longos longas preto
    preta branco branca azul vermelho vermelha verde cinza frio fria seco seca secos limpo limpa delicado
    delicada encantador encantadora aconchegante aconchegantes respirável respiráveis ajustável ajustáveis
    lavável laváveis recarregável antiderrapante relaxante tranquilo tranquila sólido sólida estável flexível
    divertido divertida criativo luminoso fino fina amplo ampla espaçoso espaçosa confiável preciso precisa
    adequado adequada diário diária fácil_de_levar fáceis_de_levar`,
  enough: ``,
  adv: `muito bem realmente também especialmente facilmente perfeitamente confortavelmente além_disso tão
    bastante`,
  link: `além_disso também especialmente`,
  circ: `em_casa por_horas à_noite`,
  noun: `música trabalho escritório cozinha quarto jardim viagem viagens esporte desporto corrida trilhas
    acampamento chuva inverno verão sono café chá suor sofá cama mesa cadeira parede chão sala banheiro varanda
    cidade montanha praia mar floresta sol neve água tecido couro madeira lã algodão metal aço vidro borracha
    bambu seda linho pés mãos mão cabeça pescoço costas pele cabelo olhos ouvidos ouvido corpo pão legumes
    necessidades bebidas voos voo escola academia livros cadernos ruído leitura mochila noites_frias`,
  spot: ``,
  trait: `conforto estilo elegância espaço calor luz concentração ambiente sabor aroma prazer`,
  part: `som graves bateria material design forma cor tamanho lâmina cabo tecido sola alças alça tampa teclas luz
    regras lã algodão couro madeira qualidade textura zíper aroma sabor tela microfone almofadas acabamento padrão
    capacidade corpo forro toque detalhe`,
  kind: `fones fones_de_ouvido teclado mouse lâmpada luminária barraca mochila mala garrafa caneca moedor balança
    frigideira faca cobertor manta travesseiro sapatos tênis jaqueta carregador brinquedo jogo relógio óculos
    gorro meias chaleira caderno caneta vela espelho`,
  choice: `escolha opção opções sugestão sugestões ideia ideias alternativa recomendação companheiro complemento
    solução`,
  gift: `presente presentes`,
  person: `criança crianças filho filha mãe pai mulher marido amigo amiga família iniciantes cachorro cão gato
    alguém pais avó avô irmão irmã bebê corredores viajantes estudantes amantes`,
  genitive: ``,
  for: `para`,
  with: `com`,
  beside: `junto_com`,
  prep: `a ao à em no na nos nas com de do da por pelo pela sem sobre entre durante sob contra como`,
  on: ``,
  upto: ``,
  of: `de do da dos das`,
  to: `de para a`,
  and: `e ou mas`,
  conj: `e mas porque que pois o_que`,
  if: `se`,
  when: `quando`,
  who: `que`,
  made: `feito_de feita_de feito_em projetado_para projetada_para pensado_para feito_para resistente_a
    resistentes_a adequado_para`,
  gentle: ``,
  here: `aqui_estão aqui_está`,
  thatIs: `estes_são este_é esta_é`,
  whole: `olá boa_viagem boa_leitura divirta_se`,
  number: `duas três quatro cinco`,
  refusal: `sinto_muito não_posso_ajudar_com_isso`,
  empty: `não_encontrei_nada`
}

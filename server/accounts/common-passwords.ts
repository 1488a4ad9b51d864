/**
 * Whether a password is among the first that guessers try. Short passwords are refused for their length, so what is left
 * are common words that were stretched: repeated, with digits around them, or a walk along the keyboard or the alphabet.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  if (new Set(text).size <= 2) return true;
  if (isWalk(text)) return true;
  const signs = text.replace(/[^\p{L}\p{N}]/gu, "");
  if (/^\d+$/.test(signs)) return isWalk(signs);
  const core = text.replace(/^[^a-z]+|[^a-z]+$/g, "");
  return [core, plain(core), plain(text)].some((guess) => {
    const letters = guess.replace(/[^a-z]/g, "");
    return letters.length >= text.length / 3 && madeOf(letters);
  });
}

/**
 * Whether the text is a piece of a well-known row of keys or letters, forwards or backwards, repeated any number of
 * times.
 */
function isWalk(text: string): boolean {
  const backwards = [...text].reverse().join("");
  return rows.some((row) =>
    [text, backwards].some((way) => row.repeat(Math.ceil(way.length / row.length) + 1).includes(way)),
  );
}

/** Whether the text consists of common words only, one after the other. */
function madeOf(letters: string): boolean {
  const reached = new Set([0]);
  for (let end = 1; end <= letters.length; end++) {
    if ([...reached].some((start) => words.has(letters.slice(start, end)))) reached.add(end);
  }
  return reached.has(letters.length);
}

function plain(text: string): string {
  return text.replace(/[0134578@$!]/g, (sign) => leet[sign] ?? sign);
}

const leet: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "!": "i",
};

const rows = [
  "1234567890",
  "0123456789",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiop",
  "azertyuiop",
  "abcdefghijklmnopqrstuvwxyz",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "qazwsxedcrfvtgbyhnujm",
  "abc123",
  "a1b2c3d4e5f6g7h8i9j0",
  "123qwe",
  "qwe123",
  "q1w2e3r4t5y6u7i8o9p0",
  "1a2b3c4d5e6f7g8h9i0j",
];

const words = new Set(
  `password passwort passw pass word secret admin administrator root user guest login default master system
   welcome hello letmein changeme changeit change me test testing tester temp temporary qwerty qwertyuiop qwertz azerty asdfgh
   asdfghjkl zxcvbn zxcvbnm iloveyou love you lovely princess sunshine superman batman spiderman starwars pokemon football
   baseball basketball soccer hockey dragon monkey shadow michael jennifer jessica ashley charlie jordan thomas daniel andrew
   joshua matthew anthony robert william hunter killer ranger buster trustno trustnoi freedom whatever computer internet
   server database google facebook twitter linkedin amazon microsoft windows apple samsung android iphone intake company
   business office manager summer winter spring autumn january february march april may june july august september october
   november december monday tuesday wednesday thursday friday saturday sunday flower cookie cheese chocolate banana orange
   coffee pepper ginger maggie tigger snoopy mustang corvette ferrari porsche mercedes yamaha harley phoenix arsenal chelsea
   liverpool barcelona juventus madonna metallica nirvana blink slipknot angel angels baby babygirl baby girl boy babyboy money
   dollar lucky loveme fuckyou fuck asshole hottie sexy lover forever family mother father sister brother friend friends
   jesus christ god heaven blessed silver golden diamond purple yellow green black white blue red qazwsx abc abcd abcde
   abcdef abcdefg and the is my i a new old the one two three four five six seven eight nine ten number`.split(/\s+/),
);

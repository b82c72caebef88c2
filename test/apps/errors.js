// What a program on Node.js sees of each misuse of AES: one line each.
const crypto = require('crypto');
const key = Buffer.alloc(16, 1), iv = Buffer.alloc(16, 2), nonce = Buffer.alloc(12, 3);

function seen(name, act) {
  try {
    console.log(name, 'done', act());
  } catch (error) {
    console.log(name, error.name, error.code, error.library, error.reason, error.message,
                error.opensslErrorStack);
  }
}
function finish(cipher, data) {
  return Buffer.concat([cipher.update(data), cipher.final()]).toString('hex');
}
const plain = (cipher) => { cipher.setAutoPadding(false); return cipher; };
const gcm = (tag) => {
  const cipher = crypto.createDecipheriv('aes-128-gcm', key, nonce);
  if (tag) cipher.setAuthTag(tag);
  return cipher;
};
const ccm = (tag) => {
  const cipher = crypto.createDecipheriv('aes-128-ccm', key, nonce, {authTagLength: 16});
  if (tag) cipher.setAuthTag(tag);
  return cipher;
};

for (const name of ['aes-128-cbc', 'aes-128-ecb', 'aes-128-ctr']) {
  const start = name.endsWith('ecb') ? null : iv;
  seen(name, () => finish(crypto.createCipheriv(name, key, start), Buffer.alloc(33)));
  seen(name + ' bad decrypt', () => finish(crypto.createDecipheriv(name, key, start), Buffer.alloc(32)));
  seen(name + ' partial block', () => finish(crypto.createDecipheriv(name, key, start), Buffer.alloc(33)));
  seen(name + ' partial block, no padding',
       () => finish(plain(crypto.createCipheriv(name, key, start)), Buffer.alloc(33)));
  seen(name + ' key length', () => crypto.createCipheriv(name, Buffer.alloc(15), start));
  seen(name + ' iv length', () => crypto.createCipheriv(name, key, Buffer.alloc(15)));
}
seen('gcm wrong tag', () => finish(gcm(Buffer.alloc(16)), Buffer.alloc(40)));
seen('gcm no tag', () => finish(gcm(), Buffer.alloc(40)));
seen('gcm tag length', () => gcm(Buffer.alloc(17)));
seen('gcm iv length', () => crypto.createCipheriv('aes-128-gcm', key, Buffer.alloc(0)));
seen('ccm wrong tag', () => finish(ccm(Buffer.alloc(16)), Buffer.alloc(40)));
seen('ccm no tag', () => finish(ccm(), Buffer.alloc(40)));
const sealed = crypto.createCipheriv('aes-128-gcm', key, nonce);
const text = finish(sealed, Buffer.from('text'));
seen('gcm', () => finish(gcm(sealed.getAuthTag()), Buffer.from(text, 'hex')));
seen('gcm update after final', () => sealed.update('more'));

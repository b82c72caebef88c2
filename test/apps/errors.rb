# What a program in Ruby sees of each misuse of AES: one line each.
require 'openssl'

KEY = "\1" * 16
IV = "\2" * 16
NONCE = "\3" * 12

def seen(name)
  puts "#{name} done #{yield.inspect}"
rescue StandardError => e
  puts "#{name} #{e.class} #{e.message} #{OpenSSL.errors}"
end

def start(name, encrypt, iv)
  cipher = OpenSSL::Cipher.new(name)
  encrypt ? cipher.encrypt : cipher.decrypt
  cipher.key = KEY
  cipher.iv = iv if iv
  cipher
end

def finish(cipher, data)
  (cipher.update(data) + cipher.final).unpack1('H*')
end

%w[aes-128-cbc aes-128-ecb aes-128-ctr].each do |name|
  iv = name.end_with?('ecb') ? nil : IV
  seen(name) { finish(start(name, true, iv), 'x' * 33) }
  seen("#{name} bad decrypt") { finish(start(name, false, iv), 'x' * 32) }
  seen("#{name} partial block") { finish(start(name, false, iv), 'x' * 33) }
  seen("#{name} partial block, no padding") do
    cipher = start(name, true, iv)
    cipher.padding = 0
    finish(cipher, 'x' * 33)
  end
  seen("#{name} no key") { OpenSSL::Cipher.new(name).encrypt.update('x') }
  seen("#{name} final of nothing without a key") { OpenSSL::Cipher.new(name).decrypt.final }
  seen("#{name} key length") { OpenSSL::Cipher.new(name).key_len = 15 }
end
seen('gcm') do
  cipher = start('aes-128-gcm', true, NONCE)
  cipher.auth_data = 'data'
  [finish(cipher, 'text'), cipher.auth_tag.unpack1('H*')]
end
seen('gcm wrong tag') do
  cipher = start('aes-128-gcm', false, NONCE)
  cipher.auth_tag = 'x' * 16
  finish(cipher, 'x' * 40)
end
seen('gcm no tag') { finish(start('aes-128-gcm', false, NONCE), 'x' * 40) }
seen('gcm tag length') { start('aes-128-gcm', false, NONCE).auth_tag = 'x' * 17 }
seen('gcm tag too early') { start('aes-128-gcm', true, NONCE).auth_tag }
seen('gcm iv length') { OpenSSL::Cipher.new('aes-128-gcm').encrypt.iv_len = 0 }
seen('gcm update after final') do
  cipher = start('aes-128-gcm', true, NONCE)
  finish(cipher, 'text')
  cipher.update('more')
end
seen('gcm no key') { OpenSSL::Cipher.new('aes-128-gcm').encrypt.update('x') }
seen('ccm wrong tag') do
  cipher = OpenSSL::Cipher.new('aes-128-ccm').decrypt
  cipher.auth_tag = 'x' * 12
  cipher.key = KEY
  cipher.iv_len = 12
  cipher.iv = NONCE
  cipher.ccm_data_len = 20
  cipher.update('x' * 20)
end
pem = File.read(ARGV[0])
20.times do |i|
  seen("pem, wrong password #{i}") { OpenSSL::PKey.read(pem, "wrong #{i}") }
end
seen('pem') { OpenSSL::PKey.read(pem, 'right').class }

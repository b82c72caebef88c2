# shellcheck shell=bash
# What a module offers, by its own word. Each takes the folder that has gpuctr.so and prints names of
# ciphers (LEA-128), a line each.
our_algorithms() { # our_algorithms FOLDER cipher-algorithms|random-generators
  OPENSSL_CONF=/dev/null openssl list "-$2" -provider-path "$1" -provider gpuctr |
    sed -n 's/ *@ gpuctr$//p' | tr -d '{},' | tr -s ' ' '\n'
}
our_ciphers() { our_algorithms "$1" cipher-algorithms | sed -n 's/-CTR$//p' | grep -vx HIGHT-128; } # an alias
our_generators() { our_algorithms "$1" random-generators | sed -n 's/-CTR-DRBG$//p' | grep -vx HIGHT-128; }

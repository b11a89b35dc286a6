# An '@' of a password that was not written as %40: what comes after it is no part of a host for libpq to look for and to quote.
for place in 'postgresql://user:pa@s3cret@host.invalid/x' 'postgresql://user:pa@@s3cret/x@host.invalid/x' \
	'postgres://user:pa@s3cret/x@host.invalid' 'postgresql://user:5/s3cret@host.invalid/x'; do
	code=0
	stagetrace history list --db "$place" || code=$?
	echo "exit code $code"
done
# Parameters may have one: the name of a socket without a file begins with it.
stagetrace history list --db 'postgresql://user:s3cret@/x?host=@stagetrace-none' 2>err || true
[ "$(grep -c 'cannot connect' err)" = 1 ] || cat err
